/**
 * This module types the recovery report and renders it as a Markdown page: continue, write a
 * hand-off, or begin anew. Pure.
 */

import { l10n } from "vscode";
import { codeFence, escapeMarkdown } from "../text/markdown";
import { formatPercent } from "../text/situationTexts";

export interface RecoveryReport {
  readonly session: string;
  readonly agent: string;
  readonly bracket: string;
  /** Percent of the window that is left. */
  readonly remaining: number;
  readonly counters: { readonly compactions: number; readonly critical_streak: number };
  readonly decision: {
    readonly action: "continue" | "handoff" | "spawn";
    readonly reasons: readonly { readonly why: string }[];
  };
  /** The file that says where the session is, where there is one. */
  readonly continuation: string | null;
  /** How a new session is begun in its client. */
  readonly level2: {
    readonly title: string;
    readonly command: string | null;
    readonly say: string;
  };
}

export interface HandOffReport {
  /** Null where nothing was written. */
  readonly path: string | null;
}

export function recoveryPage(recovery: RecoveryReport): string {
  const { continuation, counters, decision, level2, remaining } = recovery;
  const reasons = decision.reasons.map(({ why }) => `- ${escapeMarkdown(why)}`);
  return [
    `# ${decisionTitle(recovery)}`,
    reasons.join("\n"),
    [
      `- ${l10n.t("{0}: {1}% of the window is left", escapeMarkdown(recovery.bracket), formatPercent(remaining))}`,
      `- ${l10n.t("{0} compactions", counters.compactions)}`,
      recovery.agent === "" ? "" : `- ${l10n.t("@{0} is at work", escapeMarkdown(recovery.agent))}`,
      continuation === null
        ? `- ${l10n.t("No hand-off was written yet: “Synapse: Write Hand-off…” does that.")}`
        : `- ${l10n.t("The hand-off is in {0}.", escapeMarkdown(continuation))}`,
    ]
      .filter(Boolean)
      .join("\n"),
    `## ${l10n.t("To begin anew in {0}", escapeMarkdown(level2.title))}`,
    escapeMarkdown(level2.say),
    level2.command === null ? "" : codeFence(level2.command),
  ]
    .filter(Boolean)
    .join("\n\n");
}

export function decisionTitle({ decision }: RecoveryReport): string {
  switch (decision.action) {
    case "continue":
      return l10n.t("Go on in this session");
    case "handoff":
      return l10n.t("Write a hand-off soon");
    default:
      return l10n.t("Begin a new session");
  }
}
