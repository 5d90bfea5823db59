/** What the server knows, as answers in a chat. Pure. */

import { l10n } from "vscode";
import type { Location } from "vscode-languageclient/node";
import { fenced } from "../markdown";
import type { Context, DomainAccount, Explanation, Told } from "../protocol";
import type { Account } from "../protocolTree";
import { leftOf, originOf, partsOf } from "../situation";
import { reasonOf, remedyOf } from "../told";
import type { Link, Piece, Words } from "./pieces";

export interface Finding extends Link {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
}

/** The block of a prompt, and what it had no room for. */
export function blockAnswer(context: Context): readonly Piece[] {
  const { block, bracket, usage, tokens, budget, cuts, notes } = context;
  const left = l10n.t("{0}% left ({1})", leftOf(usage), originOf(usage.source));
  const size = l10n.t("{0} of {1} tokens", tokens, budget);
  return [
    ...bold(bracket),
    words(` · ${left} · ${size}`),
    "\n\n",
    block === "" ? `${l10n.t("Nothing would be injected.")}\n` : fenced(block.trimEnd()),
    ...list(
      l10n.t("No room for"),
      cuts.map(({ key, domain, text }) => [words(`${key || domain}: ${text}`)]),
    ),
    ...list(
      l10n.t("To know"),
      notes.map((note) => [words(note)]),
    ),
  ];
}

/** Every domain: why it is in the block, or what would bring it there. */
export function domainsAnswer(explanation: Explanation): readonly Piece[] {
  const isIn = ({ rules }: DomainAccount): boolean => rules.some(({ rendered }) => rendered);
  const { domains } = explanation;
  return [
    ...bold(explanation.bracket),
    words(partsOf(explanation).reduce((text, part) => `${text} · ${part.join(": ")}`, "")),
    "\n",
    ...list(
      l10n.t("In the block"),
      domains
        .filter(isIn)
        .map((domain) => [
          ...named(domain.label, domain.location),
          words(`: ${reasonOf(domain)} (${sizeOf(domain)})`),
        ]),
    ),
    ...list(
      l10n.t("Left out"),
      domains
        .filter((domain) => !isIn(domain))
        .map((domain) => [
          ...named(domain.label, domain.location),
          words(`: ${reasonOf(domain)}.${remedied(domain)}`),
        ]),
    ),
  ];
}

/** What becomes of single rules or domains. */
export function accountsAnswer(accounts: readonly Account[]): readonly Piece[] {
  return accounts.flatMap((account) => {
    const { key, domain, text, rendered, location } = account;
    const reason = reasonOf(account);
    const fate = rendered
      ? l10n.t("in the block, because {0}.", reason)
      : l10n.t("not in the block, because {0}.", reason);
    return [
      ...named(key ?? domain, location),
      words(`: ${fate}${remedied(account)}`),
      ...(text === null ? [] : ["\n> ", words(text)]),
      "\n\n",
    ];
  });
}

export function findingsAnswer(findings: readonly Finding[]): readonly Piece[] {
  if (findings.length === 0) {
    return [`${l10n.t("There are no findings.")}\n`];
  }
  return findings.flatMap(({ severity, code, message, ...link }) => [
    "- ",
    link,
    words(` ${severity} ${code}: ${message}`),
    "\n",
  ]);
}

function list(title: string, rows: readonly (readonly Piece[])[]): Piece[] {
  return rows.length === 0
    ? []
    : [`\n**${title}**\n\n`, ...rows.flatMap((row): Piece[] => ["- ", ...row, "\n"])];
}

/** Chats show a link by its place, whatever its title. */
function named(name: string, location: Location | null): Piece[] {
  return location === null ? bold(name) : [...bold(name), " (", linkTo(location), ")"];
}

function linkTo({ uri, range: { start } }: Location): Link {
  const file = decodeURIComponent(uri.split("/").slice(-2).join("/"));
  return { uri, line: start.line, title: `${file}:${start.line + 1}` };
}

function bold(name: string): Piece[] {
  return ["**", words(name), "**"];
}

function words(text: string): Words {
  return { words: text };
}

function sizeOf({ rules }: DomainAccount): string {
  const rendered = rules.filter((rule) => rule.rendered);
  const tokens = rendered.reduce((sum, rule) => sum + rule.tokens, 0);
  return l10n.t("{0} of {1} rules, {2} tokens", rendered.length, rules.length, tokens);
}

function remedied(told: Told): string {
  const remedy = remedyOf(told);
  return remedy === "" ? "" : ` ${l10n.t("To change that: {0}.", remedy)}`;
}
