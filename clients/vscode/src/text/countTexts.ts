/** This module words numbers with their unit: rules, tokens, lines. Pure. */

import { l10n } from "vscode";

export function ruleCount(count: number): string {
  return count === 1 ? l10n.t("1 rule") : l10n.t("{0} rules", count);
}

export function tokenCount(count: number): string {
  return count === 1 ? l10n.t("1 token") : l10n.t("{0} tokens", count);
}

export function lineCount(count: number): string {
  return count === 1 ? l10n.t("1 line") : l10n.t("{0} lines", count);
}

/** What was fixed in how many files. */
export function fixedText(findings: number, files: number): string {
  if (findings === 0) {
    return l10n.t("There is nothing to fix that could be fixed safely.");
  }
  const fixed = findings === 1 ? l10n.t("1 finding fixed") : l10n.t("{0} findings fixed", findings);
  return files === 1 ? l10n.t("{0} in 1 file.", fixed) : l10n.t("{0} in {1} files.", fixed, files);
}

/** Returns how many tokens of how many a block has. */
export function blockSize({
  tokens,
  budget,
  unbounded,
}: {
  readonly tokens: number;
  readonly budget: number;
  readonly unbounded: boolean;
}): string {
  return unbounded
    ? l10n.t("{0} tokens (no limit)", tokens)
    : l10n.t("{0} of {1} tokens", tokens, budget);
}
