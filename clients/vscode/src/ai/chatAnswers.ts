/**
 * This module turns reports of the server (block, domains, accounts, findings) into chat answers.
 * Pure.
 */

import { l10n } from "vscode";
import type { Location } from "vscode-languageclient/node";
import type { Account, Context, DomainAccount, Explanation, Reason } from "../protocol";
import { blockSize } from "../text/countTexts";
import { codeFence } from "../text/markdown";
import { translateReason, translateRemedy } from "../text/ruleReasons";
import { remainingPercent, situationParts, usageSourceLabel } from "../text/situationTexts";
import type { AnswerPart, PlainText, SourceLink } from "./answerParts";

export interface LintFinding extends SourceLink {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
}

/** Answers with the block of a prompt and the lines that did not fit. */
export function blockAnswer(context: Context): readonly AnswerPart[] {
  const { block, bracket, usage, cuts, notes } = context;
  const left = l10n.t("{0}% left ({1})", remainingPercent(usage), usageSourceLabel(usage));
  const size = blockSize(context);
  return [
    ...boldName(bracket),
    plainText(` · ${left} · ${size}`),
    "\n\n",
    block === "" ? `${l10n.t("Nothing would be injected.")}\n` : codeFence(block.trimEnd()),
    ...bulletList(
      l10n.t("No room for"),
      cuts.map(({ key, domain, text }) => [plainText(`${key || domain}: ${text}`)]),
    ),
    ...bulletList(
      l10n.t("To know"),
      notes.map((note) => [plainText(note)]),
    ),
  ];
}

/** Answers for every domain why it is in the block, or what would bring it there. */
export function domainsAnswer(explanation: Explanation): readonly AnswerPart[] {
  const isIn = ({ rules }: DomainAccount): boolean => rules.some(({ rendered }) => rendered);
  const { domains } = explanation;
  return [
    ...boldName(explanation.bracket),
    plainText(
      situationParts(explanation).reduce((text, part) => `${text} · ${part.join(": ")}`, ""),
    ),
    "\n",
    ...bulletList(
      l10n.t("In the block"),
      domains
        .filter(isIn)
        .map((domain) => [
          ...nameWithLink(domain.label, domain.location),
          plainText(`: ${translateReason(domain)} (${renderedSize(domain)})`),
        ]),
    ),
    ...bulletList(
      l10n.t("Left out"),
      domains
        .filter((domain) => !isIn(domain))
        .map((domain) => [
          ...nameWithLink(domain.label, domain.location),
          plainText(`: ${translateReason(domain)}.${remedySentence(domain)}`),
        ]),
    ),
  ];
}

/** Answers why single rules or domains are in the block or not. */
export function accountsAnswer(accounts: readonly Account[]): readonly AnswerPart[] {
  return accounts.flatMap((account) => {
    const { key, domain, text, rendered, location } = account;
    const reason = translateReason(account);
    const fate = rendered
      ? l10n.t("in the block, because {0}.", reason)
      : l10n.t("not in the block, because {0}.", reason);
    return [
      ...nameWithLink(key ?? domain, location),
      plainText(`: ${fate}${remedySentence(account)}`),
      ...(text === null ? [] : ["\n> ", plainText(text)]),
      "\n\n",
    ];
  });
}

export function findingsAnswer(findings: readonly LintFinding[]): readonly AnswerPart[] {
  if (findings.length === 0) {
    return [`${l10n.t("There are no findings.")}\n`];
  }
  return findings.flatMap(({ severity, code, message, ...link }) => [
    "- ",
    link,
    plainText(` ${severity} ${code}: ${message}`),
    "\n",
  ]);
}

function bulletList(title: string, rows: readonly (readonly AnswerPart[])[]): AnswerPart[] {
  return rows.length === 0
    ? []
    : [`\n**${title}**\n\n`, ...rows.flatMap((row): AnswerPart[] => ["- ", ...row, "\n"])];
}

/** Returns a name with a link; chats show a link by its location, whatever its title. */
function nameWithLink(name: string, location: Location | null): AnswerPart[] {
  return location === null
    ? boldName(name)
    : [...boldName(name), " (", locationLink(location), ")"];
}

function locationLink({ uri, range: { start } }: Location): SourceLink {
  const file = decodeURIComponent(uri.split("/").slice(-2).join("/"));
  return { uri, line: start.line, title: `${file}:${start.line + 1}` };
}

function boldName(name: string): AnswerPart[] {
  return ["**", plainText(name), "**"];
}

function plainText(text: string): PlainText {
  return { words: text };
}

function renderedSize({ rules }: DomainAccount): string {
  const renderedRules = rules.filter((rule) => rule.rendered);
  const tokens = renderedRules.reduce((sum, rule) => sum + rule.tokens, 0);
  return l10n.t("{0} of {1} rules, {2} tokens", renderedRules.length, rules.length, tokens);
}

function remedySentence(account: Reason): string {
  const remedy = translateRemedy(account);
  return remedy === "" ? "" : ` ${l10n.t("To change that: {0}.", remedy)}`;
}
