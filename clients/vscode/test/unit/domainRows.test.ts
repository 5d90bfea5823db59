import assert from "node:assert/strict";
import { test } from "node:test";
import type { Domain, Explanation, RuleAccount, Squad } from "../../src/protocol.ts";
import { domainRows } from "../../src/views/domainRows.ts";
import { triggerSummary } from "../../src/views/domainTriggers.ts";
import { squadRows } from "../../src/views/squadRows.ts";
import { partly } from "./partialValue.ts";

const domain = (label: string, layer: string, more: Partial<Domain> = {}): Domain =>
  partly<Domain>({
    label,
    name: label,
    squad: null,
    active: true,
    nonNegotiable: false,
    layer,
    alwaysOn: false,
    agent: null,
    workflow: null,
    recall: ["coverage"],
    paths: [],
    everyNTurns: null,
    onTokens: null,
    rules: 2,
    tokens: 40,
    location: null,
    file: null,
    ...more,
  });

const rule = (key: string, rendered: boolean): RuleAccount =>
  partly<RuleAccount>({
    key,
    text: `text of ${key}`,
    tokens: 20,
    rendered,
    reason: rendered ? "always on" : "the prompt has none of its keywords",
    remedy: rendered ? "" : "try --bracket MODERATE",
    change: rendered ? null : { code: "try-bracket", values: ["MODERATE"] },
    location: null,
  });

const explanation = (label: string, rules: readonly RuleAccount[]): Explanation =>
  partly<Explanation>({
    bracket: "FRESH",
    awake: ["L1", "L6"],
    agent: null,
    workflow: null,
    task: null,
    squad: null,
    prompt: { commands: [] },
    domains: [
      {
        label,
        layer: null,
        reason: "the reason",
        remedy: "the remedy",
        rules,
        location: null,
        file: null,
      },
    ],
  });

const inside = explanation("TESTING", [rule("TESTING_RULE_0", true), rule("TESTING_RULE_1", true)]);
const outside = explanation("TESTING", [rule("TESTING_RULE_0", false)]);

test("domains stand below their layer, and layers without any are left out", () => {
  const { nodes } = domainRows([domain("TESTING", "L6"), domain("MONEY", "L1")], inside);
  assert.deepEqual(
    nodes.map(({ label, children }) => [label, children?.map((child) => child.label)]),
    [
      ["L1 Global", ["MONEY"]],
      ["L6 Keywords", ["TESTING"]],
    ],
  );
});

test("layers come folded", () => {
  const { nodes } = domainRows([domain("TESTING", "L6"), domain("MONEY", "L1")], inside);
  assert.deepEqual(
    nodes.map(({ folded }) => folded),
    [true, true],
  );
});

test("a domain knows its file and the situation that activates it", () => {
  const row = (more: Partial<Domain>) =>
    domainRows([domain("TESTING", "L6", more)], outside).nodes[0]?.children?.[0];
  const filed = row({ file: "file:///ws/.synapse/testing" });
  assert.deepEqual([filed?.file, filed?.kind], ["file:///ws/.synapse/testing", "domain on filed"]);
  assert.deepEqual(row({})?.wakes, { prompt: "coverage" });
  assert.deepEqual(row({ agent: "dev" })?.wakes, { agent: "dev" });
  assert.deepEqual(row({ workflow: "w", recall: [] })?.wakes, { workflow: "w" });
  assert.deepEqual(row({ squad: "etl", agent: "dev" })?.wakes, { squad: "etl" });
  assert.deepEqual(row({ alwaysOn: true })?.wakes, {});
});

test("a layer says what it has in the block, or that it is inactive", () => {
  const all = [domain("TESTING", "L6"), domain("AGENT_QA", "L2")];
  const { nodes } = domainRows(all, inside);
  assert.deepEqual(
    nodes.map(({ description }) => description),
    ["inactive in FRESH", "40 tokens"],
  );
});

test("a domain in the block says its size, another one why it is not there", () => {
  const row = (answer: Explanation) =>
    domainRows([domain("TESTING", "L6")], answer).nodes[0]?.children?.[0];
  assert.equal(row(inside)?.description, "2 rules · 40 tokens");
  assert.equal(row(outside)?.description, "the reason");
  assert.match(row(outside)?.tooltip ?? "", /To change that: the remedy/);
});

test("a domain with some of its rules in the block says how many", () => {
  const some = explanation("TESTING", [
    rule("TESTING_RULE_0", true),
    rule("TESTING_RULE_1", false),
  ]);
  const [layer] = domainRows([domain("TESTING", "L6")], some).nodes;
  assert.equal(layer?.children?.[0]?.description, "1 of 2 rules · 20 tokens");
});

test("a domain that can be switched has the kind for its menu", () => {
  const kind = (more: Partial<Domain>) =>
    domainRows([domain("TESTING", "L6", more)], outside).nodes[0]?.children?.[0]?.kind;
  assert.equal(kind({}), "domain on");
  assert.equal(kind({ active: false }), "domain off");
  assert.equal(kind({ nonNegotiable: true }), "domain fixed");
});

test("a screen reader hears what the icon shows", () => {
  const [layer] = domainRows([domain("TESTING", "L6")], outside).nodes;
  assert.equal(layer?.children?.[0]?.spoken, "TESTING, not in the block, the reason");
});

test("a command-line remedy is shown as one for the panel", () => {
  const [layer] = domainRows([domain("TESTING", "L6")], outside).nodes;
  const tooltip = layer?.children?.[0]?.children?.[0]?.tooltip ?? "";
  assert.match(tooltip, /To change that: try the bracket MODERATE/);
});

test("a tree without domains says so", () => {
  const { nodes, message } = domainRows([], inside);
  assert.equal(nodes.length, 0);
  assert.match(message ?? "", /no domain/);
});

const squad: Squad = {
  folder: "etl-squad",
  name: "etl",
  mode: "override",
  active: true,
  source: "state",
  domains: ["ETL_TESTING"],
  rules: 2,
  tokens: 40,
  location: null,
};

test("a squad has its own domains below it", () => {
  const all = [domain("TESTING", "L6"), domain("ETL_TESTING", "L5", { squad: "etl-squad" })];
  const { nodes } = squadRows([squad], all, inside);
  assert.deepEqual(
    nodes[0]?.children?.map(({ label }) => label),
    ["ETL_TESTING"],
  );
  assert.equal(nodes[0]?.description, "active · 2 rules · 40 tokens");
});

test("rows of one domain in two views have different ids", () => {
  const own = [domain("ETL_TESTING", "L5", { squad: "etl-squad" })];
  const here = squadRows([squad], own, inside).nodes[0]?.children?.[0]?.id;
  const there = domainRows(own, inside).nodes[0]?.children?.[0]?.id;
  assert.notEqual(here, there);
});

test("the triggers of a domain are summarised", () => {
  const ways = { alwaysOn: true, agent: "qa", everyNTurns: 5 };
  assert.equal(
    triggerSummary(domain("QUALITY", "L1", ways)),
    "always on, @qa, keywords, every 5 prompts",
  );
  assert.equal(triggerSummary(domain("CONTEXT", "L1")), "by bracket");
  assert.equal(triggerSummary(domain("LOST", "L6", { recall: [] })), "");
});
