/** Answers of the server as the tests of the panel need them: short, and whole. */

import type {
  Context,
  DomainAccount,
  Entry,
  Explanation,
  RuleAccount,
  Section,
  Status,
} from "../../src/protocol.ts";
import { type Given, partly } from "./partialValue.ts";

export const at = (uri: string, line: number) => ({
  uri,
  range: { start: { line, character: 0 }, end: { line: line + 1, character: 0 } },
});

export const entry = (domain: string, text: string, line = 0): Entry => ({
  text,
  key: `${domain}_RULE_${line}`,
  domain,
  tokens: 10,
  location: at(`file:///ws/.synapse/${domain.toLowerCase()}`, line),
});

export const section = (id: string, ...entries: readonly Entry[]): Section => ({
  id,
  layer: "L1",
  heading: `[${id}]`,
  tokens: 10 * entries.length,
  entries,
});

export const context = (given: Partial<Context> = {}): Context =>
  partly<Context>({
    block: "<synapse-rules>\n</synapse-rules>",
    bracket: "FRESH",
    usage: { remaining: 100, source: "default" },
    budget: 100,
    tokens: 40,
    sections: [],
    cuts: [],
    limited: [],
    overBudget: false,
    notes: [],
    ...given,
  });

export const rule = (domain: string, line: number, given: Partial<RuleAccount> = {}) =>
  partly<RuleAccount>({
    ...entry(domain, `rule ${line} of ${domain}`, line),
    rendered: false,
    reason: "no agent is active, not @qa",
    remedy: "activate @qa",
    attempt: { agent: "qa" },
    ...given,
  });

export const domain = (label: string, given: Partial<DomainAccount> = {}): DomainAccount =>
  partly<DomainAccount>({
    label,
    readBy: [],
    layer: null,
    reason: "no agent is active, not @qa",
    remedy: "activate @qa",
    attempt: { agent: "qa" },
    rules: [],
    location: null,
    file: null,
    ...given,
  });

export const explanation = (
  domains: readonly DomainAccount[],
  given: Given<Explanation> = {},
): Explanation =>
  partly<Explanation>({
    bracket: "FRESH",
    awake: [],
    agent: null,
    workflow: null,
    task: null,
    squad: null,
    prompt: { commands: [] },
    domains,
    ...given,
  });

export const status = partly<Status>({
  root: "file:///ws",
  profile: "synapse",
  bracket: "FRESH",
  usage: { remaining: 100, source: "default" },
  tokens: 40,
  budget: 100,
  agent: null,
  workflow: null,
  task: null,
  squad: null,
  cuts: 0,
  overBudget: false,
  hooks: [".claude/settings.json"],
  session: null,
});
