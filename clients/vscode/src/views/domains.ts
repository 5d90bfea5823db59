/** The domains of a tree by layer: which of them the next prompt gets, and why not the others. Pure. */

import { l10n } from "vscode";
import { rules, tokens } from "../counts";
import { described } from "../markdown";
import type { DomainAccount, Explanation, RuleAccount } from "../protocol";
import type { Domain } from "../protocolTree";
import { reasonOf, remedyOf } from "../told";
import { LAYERS, layerName } from "./layers";
import type { Icon, Node, Rows } from "./node";
import { wakesByOf } from "./wakes";

const INSIDE: Icon = { codicon: "circle-filled", color: "charts.green" };
const OUTSIDE: Icon = { codicon: "circle-outline" };
const OFF: Icon = { codicon: "circle-slash", color: "disabledForeground" };

/** Layers that no domain is of are left out. */
export function domainRows(all: readonly Domain[], explanation: Explanation): Rows {
  const nodes = LAYERS.flatMap((layer) => {
    const own = all.filter((domain) => domain.layer === layer);
    return own.length === 0 ? [] : [layerNode(layer, own, explanation)];
  });
  return nodes.length > 0
    ? { nodes }
    : { nodes, message: l10n.t("The manifest declares no domain yet.") };
}

/** The rows of these domains. `parent` tells rows of a domain in two places apart. */
export function domainNodes(
  own: readonly Domain[],
  { domains }: Explanation,
  parent: string,
): readonly Node[] {
  const accounts = new Map(domains.map((account) => [account.label, account]));
  return own.map((domain) => domainNode(domain, accounts.get(domain.label), parent));
}

function layerNode(layer: string, own: readonly Domain[], explanation: Explanation): Node {
  const children = domainNodes(own, explanation, layer);
  const labels = new Set(own.map(({ label }) => label));
  const total = sum(
    explanation.domains.filter(({ label }) => labels.has(label)).map((account) => cost(account)),
  );
  const asleep = !explanation.awake.includes(layer);
  return {
    id: layer,
    label: `${layer} ${layerName(layer)}`,
    description: asleep
      ? l10n.t("asleep in {0}", explanation.bracket)
      : total > 0
        ? tokens(total)
        : "",
    tooltip: asleep
      ? described(layerName(layer), [], l10n.t("Nothing of this layer reaches the agent now."))
      : described(layerName(layer), []),
    kind: "layer",
    folded: true,
    children,
  };
}

function domainNode(domain: Domain, account: DomainAccount | undefined, parent: string): Node {
  const inside = account?.rules.filter(({ rendered }) => rendered).length ?? 0;
  const reason = account ? reasonOf(account) : "";
  const own = rules(domain.rules);
  const size = [
    inside === domain.rules ? own : l10n.t("{0} of {1}", inside, own),
    tokens(account ? cost(account) : 0),
  ].join(" · ");
  const description = inside > 0 ? size : domain.active ? reason : l10n.t("off");
  return {
    id: `${parent}/${domain.label}`,
    label: domain.label,
    description,
    tooltip: described(domain.label, [
      [l10n.t("Now"), reason],
      [l10n.t("To change that"), account && remedyOf(account)],
      [l10n.t("Wakes by"), wakesByOf(domain) || l10n.t("nothing")],
      [l10n.t("In all"), `${own} · ${tokens(domain.tokens)}`],
      [l10n.t("Squad"), domain.squad],
    ]),
    spoken: [
      domain.label,
      inside > 0 ? l10n.t("in the block") : l10n.t("not in the block"),
      description,
    ].join(", "),
    icon: domain.active ? (inside > 0 ? INSIDE : OUTSIDE) : OFF,
    kind: kindOf(domain),
    subject: domain.label,
    location: domain.location,
    file: domain.file,
    wakes: wakingOf(domain),
    folded: true,
    children: (account?.rules ?? []).map((rule, index) =>
      ruleNode(rule, `${parent}/${domain.label}/${index}`),
    ),
  };
}

/** What brings the domain in, for who wants to see it in the block; {} where it needs nothing. */
function wakingOf({ squad, agent, workflow, recall, alwaysOn }: Domain): Node["wakes"] & object {
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

/** What holds whatever the manifest says cannot be switched. */
function kindOf({ active, nonNegotiable, file }: Domain): string {
  const state = nonNegotiable ? "fixed" : active ? "on" : "off";
  return `domain ${state}${file === null ? "" : " filed"}`;
}

function ruleNode(rule: RuleAccount, id: string): Node {
  return {
    id,
    label: rule.text,
    description: rule.rendered ? "" : reasonOf(rule),
    tooltip: described(rule.key || rule.text, [
      [l10n.t("Rule"), rule.key === "" ? "" : rule.text],
      [l10n.t("Now"), reasonOf(rule)],
      [l10n.t("To change that"), remedyOf(rule)],
      [l10n.t("Tokens"), String(rule.tokens)],
    ]),
    spoken: [
      rule.rendered ? l10n.t("in the block") : l10n.t("not in the block"),
      rule.text,
      rule.rendered ? "" : reasonOf(rule),
    ]
      .filter(Boolean)
      .join(", "),
    icon: rule.rendered ? INSIDE : OUTSIDE,
    kind: "rule",
    subject: rule.key,
    location: rule.location,
  };
}

function cost(account: DomainAccount): number {
  return sum(account.rules.filter(({ rendered }) => rendered).map((rule) => rule.tokens));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
