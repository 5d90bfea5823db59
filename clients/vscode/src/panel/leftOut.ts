/** What is left out of the block, and why: rules with one reason together. Pure. */

import { l10n } from "vscode";
import type { DomainAccount, Entry, Explanation, RuleAccount } from "../protocol";
import { attemptOf, reasonOf, remedyOf } from "../told";
import type { LeftOut, LeftOutView } from "./messages";
import { placeOf, ruleView } from "./rules";

/**
 * What did not fit comes first: it applies, and is lost all the same. What a domain that takes part
 * keeps for another bracket, phase or command comes last.
 */
export function leftOutOf({ domains }: Explanation, cuts: readonly Entry[]): LeftOut {
  const lost = new Set(cuts.map(identity));
  const out = domains.filter(({ layer }) => layer === null);
  const partly = domains.filter(({ layer }) => layer !== null);
  const accounts = [...out, ...partly].flatMap((domain) => groupsOf(domain, lost));
  const groups = [
    ...unaccounted(domains, cuts),
    ...accounts.filter(({ cut }) => cut),
    ...accounts.filter(({ cut }) => !cut),
  ];
  return {
    count: groups.reduce((sum, group) => sum + group.rules.length, 0),
    groups: groups.map((group, at) => ({
      ...group,
      repeats: groups[at - 1]?.label === group.label,
    })),
  };
}

/** Lines that were cut and are no rules of the tree, such as those of a task. */
function unaccounted(domains: readonly DomainAccount[], cuts: readonly Entry[]): LeftOutView[] {
  const labels = new Set(domains.map(({ label }) => label));
  const byDomain = new Map<string, Entry[]>();
  for (const entry of cuts.filter(({ domain }) => !labels.has(domain))) {
    byDomain.set(entry.domain, [...(byDomain.get(entry.domain) ?? []), entry]);
  }
  return [...byDomain.entries()].map(([label, entries]) => ({
    id: label,
    label,
    count: String(entries.length),
    reason: l10n.t("cut because it does not fit"),
    remedy: "",
    attempt: undefined,
    place: undefined,
    cut: true,
    repeats: false,
    rules: entries.map(ruleView),
  }));
}

function groupsOf(domain: DomainAccount, lost: ReadonlySet<string>): LeftOutView[] {
  const byReason = new Map<string, RuleAccount[]>();
  for (const rule of domain.rules.filter(({ rendered }) => !rendered)) {
    const reason = `${rule.reason}\0${rule.remedy}`;
    byReason.set(reason, [...(byReason.get(reason) ?? []), rule]);
  }
  return [...byReason.entries()].flatMap(([key, rules]) =>
    // What they share can be had from any of them.
    rules.slice(0, 1).map((told) => groupOf(domain, key, told, rules, lost)),
  );
}

function groupOf(
  domain: DomainAccount,
  key: string,
  told: RuleAccount,
  rules: readonly RuleAccount[],
  lost: ReadonlySet<string>,
): LeftOutView {
  return {
    id: `${domain.label}\0${key}`,
    label: domain.label,
    count:
      rules.length === domain.rules.length
        ? String(rules.length)
        : l10n.t("{0} of {1}", rules.length, domain.rules.length),
    reason: reasonOf(told),
    remedy: remedyOf(told),
    attempt: attemptOf(told),
    place: placeOf(domain.location),
    cut: rules.some((rule) => lost.has(identity(rule))),
    repeats: false,
    rules: rules.map(ruleView),
  };
}

function identity({ key, text, location }: Pick<Entry, "key" | "text" | "location">): string {
  return [location?.uri, location?.range.start.line, key, text].join("\0");
}
