/**
 * This module turns a comparison of two blocks into a view: added, removed and changed rules. Pure.
 */

import { l10n } from "vscode";
import type { Comparison, Entry } from "../protocol";
import type { ComparisonView, RuleView, Simulation } from "./panelMessages";
import { ruleView } from "./ruleViews";
import { NONE_ID } from "./simulationFields";

/** Characters of a prompt in a name. */
const MAX_PROMPT_LENGTH = 40;

export function comparisonView(label: string, comparison: Comparison): ComparisonView {
  const { before, after, added, removed, changed } = comparison;
  const lists: ComparisonView["lists"] = [
    ruleList(l10n.t("Only now"), "+", added),
    ruleList(l10n.t("Only before"), "−", removed),
    { label: l10n.t("Changed"), sign: "~" as const, rules: changed.map(changedRuleView) },
  ];
  const filledLists = lists.filter(({ rules }) => rules.length > 0);
  const bracket = before.bracket === after.bracket ? "" : `${before.bracket} → ${after.bracket}`;
  return {
    title: l10n.t("Compared with: {0}", label),
    delta: [bracket, l10n.t("{0} tokens", signedNumber(after.tokens - before.tokens))]
      .filter(Boolean)
      .join(" · "),
    same: filledLists.length === 0 ? l10n.t("The same rules. Try something else above.") : "",
    lists: filledLists,
  };
}

/** Returns the label of a state: its bracket and its simulated values. */
export function stateLabel(simulation: Simulation, bracket: string): string {
  const { prompt = "", agent, workflow, phase, task, squad, session } = simulation;
  const words = prompt.trim();
  const changes = [
    session === "" ? l10n.t("new session") : undefined,
    agent === NONE_ID ? l10n.t("no agent") : agent && `@${agent}`,
    workflow === NONE_ID ? l10n.t("no workflow") : workflow,
    phase,
    task === NONE_ID ? l10n.t("no task") : task,
    squad === NONE_ID ? l10n.t("no squad") : squad,
    words &&
      `“${words.length > MAX_PROMPT_LENGTH ? `${words.slice(0, MAX_PROMPT_LENGTH - 1)}…` : words}”`,
  ].filter(Boolean);
  return [bracket, ...(changes.length > 0 ? changes : [l10n.t("as it is now")])].join(" · ");
}

function ruleList(
  label: string,
  sign: "+" | "−",
  entries: readonly Entry[],
): ComparisonView["lists"][number] {
  return { label, sign, rules: entries.map(ruleView) };
}

function changedRuleView({ before, after }: Comparison["changed"][number]): RuleView {
  const rule = ruleView(after);
  return { ...rule, title: `${rule.title}\n${l10n.t("before: {0}", before.text)}` };
}

function signedNumber(difference: number): string {
  return difference > 0 ? `+${difference}` : String(difference).replace("-", "−");
}
