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
