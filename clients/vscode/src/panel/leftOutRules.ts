/** This module groups the rules that are left out of the block by domain and reason. Pure. */

import { l10n } from "vscode";
import type { DomainAccount, Entry, Explanation, RuleAccount } from "../protocol";
import { remedyAttempt, translateReason, translateRemedy } from "../text/ruleReasons";
import type { LeftOutGroup, LeftOutRules, ReasonKind } from "./panelMessages";
import { ruleView, sourceLine } from "./ruleViews";

/** The beginnings of the server's codes of reasons, by what they are about; all others are "other". */
const KINDS: readonly (readonly [RegExp, ReasonKind])[] = [
  [/agent$|^nobody$|^other-executor$|^memory-private$/, "agent"],
  [/workflow$|^other-phase$/, "workflow"],
  [
    /^no-keyword$|^no-command$|^has-commands$|^excluded|^no-words$|^waits-|^memory-unmatched$/,
    "prompt",
  ],
  [/^asleep|^other-bracket$|^memory-begins$/, "bracket"],
  [/^independent$|^overridden$/, "squad"],
  [/^inactive$|^session-off$/, "inactive"],
  [/^no-file$|^untriggered$/, "incomplete"],
  [/^in-window$|^told$|^follows$|^native$|^read-by$/, "window"],
];

function kindLabel(kind: ReasonKind): string {
  switch (kind) {
    case "cut":
      return l10n.t("cut");
    case "agent":
      return l10n.t("for other agents");
    case "workflow":
      return l10n.t("for other workflows");
    case "prompt":
      return l10n.t("not asked for");
    case "bracket":
      return l10n.t("inactive in this bracket");
    case "squad":
      return l10n.t("of other squads");
    case "inactive":
      return l10n.t("switched off");
    case "incomplete":
      return l10n.t("without a trigger or file");
    case "window":
      return l10n.t("in context already");
    case "other":
      return l10n.t("other reasons");
  }
}

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
    groups,
    kinds: kindCounts(groups),
  };
}

function kindCounts(groups: readonly LeftOutGroup[]): LeftOutRules["kinds"] {
  const counts = new Map<ReasonKind, number>();
  for (const { kind, rules } of groups) {
    counts.set(kind, (counts.get(kind) ?? 0) + rules.length);
  }
  return [...counts]
    .map(([kind, count]) => ({ kind, label: kindLabel(kind), count }))
    .sort((one, other) => other.count - one.count);
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
    kind: "cut",
    count: String(entries.length),
    reason: l10n.t("cut because it does not fit"),
    remedy: "",
    attempt: undefined,
    place: undefined,
    cut: true,
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
  const cut = rules.some((rule) => cutIds.has(entryIdentity(rule)));
  const code = first.because?.[0]?.code ?? "";
  return {
    kind: cut ? "cut" : (KINDS.find(([codes]) => codes.test(code))?.[1] ?? "other"),
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
    cut,
    rules: rules.map(ruleView),
  };
}

function entryIdentity({ key, text, location }: Pick<Entry, "key" | "text" | "location">): string {
  return [location?.uri, location?.range.start.line, key, text].join("\0");
}
