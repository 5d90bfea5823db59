/**
 * This module builds the rows of the domain view: domains by layer, with reasons for in and out.
 * Pure.
 */

import { l10n } from "vscode";
import type { Domain, DomainAccount, Explanation, RuleAccount } from "../protocol";
import { ruleCount, tokenCount } from "../text/countTexts";
import { markdownDescription } from "../text/markdown";
import { translateReason, translateRemedy } from "../text/ruleReasons";
import { triggerSummary } from "./domainTriggers";
import { LAYERS, layerName } from "./layerNames";
import type { NodeIcon, ViewNode, ViewRows } from "./viewNode";

const INSIDE_ICON: NodeIcon = { codicon: "circle-filled", color: "charts.green" };
const OUTSIDE_ICON: NodeIcon = { codicon: "circle-outline" };
const OFF_ICON: NodeIcon = { codicon: "circle-slash", color: "disabledForeground" };

/** Returns the rows by layer; layers without domains are left out. */
export function domainRows(domains: readonly Domain[], explanation: Explanation): ViewRows {
  const nodes = LAYERS.flatMap((layer) => {
    const layerDomains = domains.filter((domain) => domain.layer === layer);
    return layerDomains.length === 0 ? [] : [layerNode(layer, layerDomains, explanation)];
  });
  return nodes.length > 0
    ? { nodes }
    : { nodes, message: l10n.t("The manifest declares no domain yet.") };
}

/** Returns the rows of these domains. `parent` keeps the ids of a domain in two views apart. */
export function domainNodes(
  declaredDomains: readonly Domain[],
  { domains }: Explanation,
  parent: string,
): readonly ViewNode[] {
  const accounts = new Map(domains.map((account) => [account.label, account]));
  return declaredDomains.map((domain) => domainNode(domain, accounts.get(domain.label), parent));
}

function layerNode(layer: string, domains: readonly Domain[], explanation: Explanation): ViewNode {
  const children = domainNodes(domains, explanation, layer);
  const labels = new Set(domains.map(({ label }) => label));
  const total = sumNumbers(
    explanation.domains
      .filter(({ label }) => labels.has(label))
      .map((account) => renderedTokens(account)),
  );
  const isAsleep = !explanation.awake.includes(layer);
  return {
    id: layer,
    label: `${layer} ${layerName(layer)}`,
    description: isAsleep
      ? l10n.t("inactive in {0}", explanation.bracket)
      : total > 0
        ? tokenCount(total)
        : "",
    tooltip: isAsleep
      ? markdownDescription(
          layerName(layer),
          [],
          l10n.t("Nothing of this layer reaches the agent now."),
        )
      : markdownDescription(layerName(layer), []),
    kind: "layer",
    folded: true,
    children,
  };
}

function domainNode(domain: Domain, account: DomainAccount | undefined, parent: string): ViewNode {
  const renderedCount = account?.rules.filter(({ rendered }) => rendered).length ?? 0;
  const reason = account ? translateReason(account) : "";
  const ruleTotal = ruleCount(domain.rules);
  const size = [
    renderedCount === domain.rules ? ruleTotal : l10n.t("{0} of {1}", renderedCount, ruleTotal),
    tokenCount(account ? renderedTokens(account) : 0),
  ].join(" · ");
  const description = renderedCount > 0 ? size : domain.active ? reason : l10n.t("off");
  return {
    id: `${parent}/${domain.label}`,
    label: domain.label,
    description,
    tooltip: markdownDescription(domain.label, [
      [l10n.t("Now"), reason],
      [l10n.t("To change that"), account && translateRemedy(account)],
      [l10n.t("Activated by"), triggerSummary(domain) || l10n.t("nothing")],
      [l10n.t("In all"), `${ruleTotal} · ${tokenCount(domain.tokens)}`],
      [l10n.t("Squad"), domain.squad],
    ]),
    spoken: [
      domain.label,
      renderedCount > 0 ? l10n.t("in the block") : l10n.t("not in the block"),
      description,
    ].join(", "),
    icon: domain.active ? (renderedCount > 0 ? INSIDE_ICON : OUTSIDE_ICON) : OFF_ICON,
    kind: domainKind(domain),
    subject: domain.label,
    location: domain.location,
    file: domain.file,
    wakes: wakingSituation(domain),
    folded: true,
    children: (account?.rules ?? []).map((rule, index) =>
      ruleNode(rule, `${parent}/${domain.label}/${index}`),
    ),
  };
}

/** Returns the situation in which the domain is in the block; {} where it always is. */
function wakingSituation({
  squad,
  agent,
  workflow,
  recall,
  alwaysOn,
}: Domain): ViewNode["wakes"] & object {
  if (squad) {
    return { squad };
  }
  const [keyword] = recall;
  return alwaysOn
    ? {}
    : agent
      ? { agent }
      : workflow
        ? { workflow }
        : keyword
          ? { prompt: keyword }
          : {};
}

/** Returns the kind for `when` clauses; non-negotiable domains cannot be switched. */
function domainKind({ active, nonNegotiable, file }: Domain): string {
  const state = nonNegotiable ? "fixed" : active ? "on" : "off";
  return `domain ${state}${file === null ? "" : " filed"}`;
}

function ruleNode(rule: RuleAccount, id: string): ViewNode {
  return {
    id,
    label: rule.text,
    description: rule.rendered ? "" : translateReason(rule),
    tooltip: markdownDescription(rule.key || rule.text, [
      [l10n.t("Rule"), rule.key === "" ? "" : rule.text],
      [l10n.t("Now"), translateReason(rule)],
      [l10n.t("To change that"), translateRemedy(rule)],
      [l10n.t("Tokens"), String(rule.tokens)],
    ]),
    spoken: [
      rule.rendered ? l10n.t("in the block") : l10n.t("not in the block"),
      rule.text,
      rule.rendered ? "" : translateReason(rule),
    ]
      .filter(Boolean)
      .join(", "),
    icon: rule.rendered ? INSIDE_ICON : OUTSIDE_ICON,
    kind: "rule",
    subject: rule.key,
    location: rule.location,
  };
}

function renderedTokens(account: DomainAccount): number {
  return sumNumbers(account.rules.filter(({ rendered }) => rendered).map((rule) => rule.tokens));
}

function sumNumbers(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
