/** Two states beside each other: what only one of their blocks has. Pure. */

import { l10n } from "vscode";
import type { Comparison, Entry } from "../protocol";
import { NONE } from "./form";
import type { ComparisonView, RuleView, Simulation } from "./messages";
import { ruleView } from "./rules";

/** Characters of a prompt in a name. */
const MOST = 40;

export function comparisonView(label: string, comparison: Comparison): ComparisonView {
  const { before, after, added, removed, changed } = comparison;
  const lists: ComparisonView["lists"] = [
    list(l10n.t("Only now"), "+", added),
    list(l10n.t("Only before"), "−", removed),
    { label: l10n.t("Changed"), sign: "~" as const, rules: changed.map(changedRule) },
  ];
  const filled = lists.filter(({ rules }) => rules.length > 0);
  const bracket = before.bracket === after.bracket ? "" : `${before.bracket} → ${after.bracket}`;
  return {
    title: l10n.t("Compared with: {0}", label),
    delta: [bracket, l10n.t("{0} tokens", signed(after.tokens - before.tokens))]
      .filter(Boolean)
      .join(" · "),
    same: filled.length === 0 ? l10n.t("The same rules. Try something else above.") : "",
    lists: filled,
  };
}

/** What a state that is kept is called: its bracket, and what of it is tried out. */
export function labelOf(simulation: Simulation, bracket: string): string {
  const { prompt = "", agent, workflow, phase, task, squad, session } = simulation;
  const words = prompt.trim();
  const tried = [
    session === "" ? l10n.t("new session") : undefined,
    agent === NONE ? l10n.t("no agent") : agent && `@${agent}`,
    workflow === NONE ? l10n.t("no workflow") : workflow,
    phase,
    task === NONE ? l10n.t("no task") : task,
    squad === NONE ? l10n.t("no squad") : squad,
    words && `“${words.length > MOST ? `${words.slice(0, MOST - 1)}…` : words}”`,
  ].filter(Boolean);
  return [bracket, ...(tried.length > 0 ? tried : [l10n.t("as it is now")])].join(" · ");
}

function list(
  label: string,
  sign: "+" | "−",
  entries: readonly Entry[],
): ComparisonView["lists"][number] {
  return { label, sign, rules: entries.map(ruleView) };
}

function changedRule({ before, after }: Comparison["changed"][number]): RuleView {
  const rule = ruleView(after);
  return { ...rule, title: `${rule.title}\n${l10n.t("before: {0}", before.text)}` };
}

function signed(difference: number): string {
  return difference > 0 ? `+${difference}` : String(difference).replace("-", "−");
}
