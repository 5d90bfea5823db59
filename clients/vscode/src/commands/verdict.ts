/** What the guard says to a command line, as rows of a list. Pure. */

import { l10n } from "vscode";
import type { Location } from "vscode-languageclient/node";
import type { Verdict } from "../protocolTree";
import type { Item } from "./items";

/** What choosing a row does: it opens a place, or asks the same for another agent. */
export interface Lead {
  readonly location?: Location | null;
  readonly agent?: string;
}

/** The verdict, the boundary that decided, and what can be done about it. */
export function verdictItems(verdict: Verdict): Item<Lead>[] {
  const { decision, delegate, mode, rule, what } = verdict;
  const rows: Item<Lead>[] = [
    {
      label: `$(${ICONS[decision]}) ${sentenceOf(verdict)}`,
      description: what ?? "",
      detail: reasonOf(verdict),
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
    const effect = EFFECTS[mode]?.();
    if (effect !== undefined) {
      rows.push({ label: `$(info) ${effect}`, value: {} });
    }
  }
  return rows;
}

/** Whom the question is about, for the heading of the list. */
export function headingOf(agent: string | null): string {
  return agent ? l10n.t("May @{0} Run…", agent) : l10n.t("May the Agent Run…");
}

const ICONS = { allow: "pass", ask: "question", deny: "error" };

const EFFECTS: { readonly [mode: string]: () => string } = {
  off: () => l10n.t("The guard is off, so nobody is told"),
  warn: () => l10n.t("The guard only warns: the agent is told, and may go on"),
};

function sentenceOf({ agent, decision }: Verdict): string {
  const who = agent ? `@${agent}` : l10n.t("An agent");
  return {
    allow: l10n.t("{0} may run it", who),
    ask: l10n.t("A person is asked first"),
    deny: l10n.t("{0} may not run it", who),
  }[decision];
}

function reasonOf({ reason, rule }: Verdict): string {
  return reason
    ? `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}`
    : rule === null
      ? l10n.t("No boundary speaks of it")
      : "";
}
