/** How a session stands, and whether to go on in it, as a Markdown page. Pure. */

import { l10n } from "vscode";
import { escaped, fenced } from "../markdown";
import { percent } from "../situation";
import type { Recovery } from "./reports";

export function recoveryPage(recovery: Recovery): string {
  const { continuation, counters, decision, level2, remaining } = recovery;
  const reasons = decision.reasons.map(({ why }) => `- ${escaped(why)}`);
  return [
    `# ${verdictOf(recovery)}`,
    reasons.join("\n"),
    [
      `- ${l10n.t("{0}: {1}% of the window is left", escaped(recovery.bracket), percent(remaining))}`,
      `- ${l10n.t("{0} compactions", counters.compactions)}`,
      recovery.agent === "" ? "" : `- ${l10n.t("@{0} is at work", escaped(recovery.agent))}`,
      continuation === null
        ? `- ${l10n.t("No hand-off was written yet: “Synapse: Write Hand-off…” does that.")}`
        : `- ${l10n.t("The hand-off is in {0}.", escaped(continuation))}`,
    ]
      .filter(Boolean)
      .join("\n"),
    `## ${l10n.t("To begin anew in {0}", escaped(level2.title))}`,
    escaped(level2.say),
    level2.command === null ? "" : fenced(level2.command),
  ]
    .filter(Boolean)
    .join("\n\n");
}

export function verdictOf({ decision }: Recovery): string {
  switch (decision.action) {
    case "continue":
      return l10n.t("Go on in this session");
    case "handoff":
      return l10n.t("Write a hand-off soon");
    default:
      return l10n.t("Begin a new session");
  }
}
