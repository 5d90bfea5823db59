/** This module turns a verdict of the guard into rows of a quick pick. Pure. */

import { l10n } from "vscode";
import type { Location } from "vscode-languageclient/node";
import type { Verdict } from "../protocol";
import type { ListItem } from "./listItems";

/** What choosing a row does: it opens a location, or asks the guard for another agent. */
export interface VerdictAction {
  readonly location?: Location | null;
  readonly agent?: string;
}

/** Returns rows for the verdict, the deciding boundary, and what can be done about it. */
export function verdictItems(verdict: Verdict): ListItem<VerdictAction>[] {
  const { decision, delegate, mode, rule, what } = verdict;
  const rows: ListItem<VerdictAction>[] = [
    {
      label: `$(${mode === "enforce" ? DECISION_ICONS[decision] : LENIENT_ICONS[decision]}) ${verdictSentence(verdict)}`,
      description: what ?? "",
      detail: verdictReason(verdict),
      value: { location: rule?.location ?? null },
    },
  ];
  if (rule !== null) {
    rows.push({
      label: `$(law) ${rule.name}`,
      description: rule.pattern,
      detail: l10n.t("Go to the boundary that decides"),
      value: { location: rule.location },
    });
  }
  if (decision !== "allow") {
    if (delegate !== null && delegate !== verdict.agent) {
      rows.push({
        label: `$(lightbulb) ${l10n.t("Have @{0} do it", delegate)}`,
        description: l10n.t("see what the guard says to that"),
        value: { agent: delegate },
      });
    }
    if (mode !== "enforce") {
      rows.push({ label: `$(info) ${enforcedSentence(verdict)}`, value: {} });
    }
  }
  return rows;
}

/** Returns the heading of the list, which names the agent. */
export function guardHeading(agent: string | null): string {
  return agent ? l10n.t("May @{0} Run…", agent) : l10n.t("May the Agent Run…");
}

const DECISION_ICONS = { allow: "pass", ask: "question", deny: "error" };
const LENIENT_ICONS = { allow: "pass", ask: "warning", deny: "warning" };

/** Returns what would happen if the guard were set to enforce. */
function enforcedSentence({ decision }: Verdict): string {
  return decision === "ask"
    ? l10n.t("Set to enforce, the guard has a person asked first")
    : l10n.t("Set to enforce, the guard stops it");
}

/** Returns what happens in the mode in force; what the boundaries say stands below it. */
function verdictSentence({ agent, decision, mode }: Verdict): string {
  const who = agent ? `@${agent}` : l10n.t("An agent");
  if (decision === "allow") {
    return l10n.t("{0} may run it", who);
  }
  if (mode === "off") {
    return l10n.t("{0} may run it: the guard is off", who);
  }
  if (mode === "warn") {
    return l10n.t("{0} is warned, and may run it", who);
  }
  return decision === "ask" ? l10n.t("A person is asked first") : l10n.t("{0} may not run it", who);
}

function verdictReason({ reason, rule }: Verdict): string {
  return reason
    ? `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}`
    : rule === null
      ? l10n.t("No boundary speaks of it")
      : "";
}
