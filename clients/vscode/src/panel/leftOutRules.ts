/** This module groups the rules that are left out of the block by domain and reason. Pure. */

import { l10n } from "vscode";
import type { DomainAccount, Entry, Explanation, RuleAccount } from "../protocol";
import { remedyAttempt, translateReason, translateRemedy } from "../text/ruleReasons";
import type { LeftOutGroup, LeftOutRules } from "./panelMessages";
import { ruleView, sourceLine } from "./ruleViews";

/**
 * What did not fit comes first: it applies, and is lost all the same. What a domain that takes part
 * keeps for another bracket, phase or command comes last.
 */
export function leftOutRules({ domains }: Explanation, cuts: readonly Entry[]): LeftOutRules {
  const cutIds = new Set(cuts.map(entryIdentity));
  const inactive = domains.filter(({ layer }) => layer === null);
  const active = domains.filter(({ layer }) => layer !== null);
  const accounts = [...inactive, ...active].flatMap((domain) => domainGroups(domain, cutIds));
  const groups = [
    ...linesWithoutAccount(domains, cuts),
    ...accounts.filter(({ cut }) => cut),
    ...accounts.filter(({ cut }) => !cut),
  ];
  return {
    count: groups.reduce((sum, group) => sum + group.rules.length, 0),
    groups: groups.map((group, index) => ({
      ...group,
      repeats: groups[index - 1]?.label === group.label,
    })),
  };
}

/** Returns groups of cut lines that are no rules of the tree, such as lines of a task. */
function linesWithoutAccount(
  domains: readonly DomainAccount[],
  cuts: readonly Entry[],
): LeftOutGroup[] {
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

function domainGroups(domain: DomainAccount, cutIds: ReadonlySet<string>): LeftOutGroup[] {
  const byReason = new Map<string, RuleAccount[]>();
  for (const rule of domain.rules.filter(({ rendered }) => !rendered)) {
    const reason = `${rule.reason}\0${rule.remedy}`;
    byReason.set(reason, [...(byReason.get(reason) ?? []), rule]);
  }
  return [...byReason.entries()].flatMap(([key, rules]) =>
    // What they share can be had from any of them.
    rules.slice(0, 1).map((first) => leftOutGroup(domain, key, first, rules, cutIds)),
  );
}

function leftOutGroup(
  domain: DomainAccount,
  key: string,
  first: RuleAccount,
  rules: readonly RuleAccount[],
  cutIds: ReadonlySet<string>,
): LeftOutGroup {
  return {
    id: `${domain.label}\0${key}`,
    label: domain.label,
    count:
      rules.length === domain.rules.length
        ? String(rules.length)
        : l10n.t("{0} of {1}", rules.length, domain.rules.length),
    reason: translateReason(first),
    remedy: translateRemedy(first),
    attempt: remedyAttempt(first),
    place: sourceLine(domain.location),
    cut: rules.some((rule) => cutIds.has(entryIdentity(rule))),
    repeats: false,
    rules: rules.map(ruleView),
  };
}

function entryIdentity({ key, text, location }: Pick<Entry, "key" | "text" | "location">): string {
  return [location?.uri, location?.range.start.line, key, text].join("\0");
}
