import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accountItems,
  agentItems,
  domainItems,
  leftOutItems,
  sessionItems,
  taskItems,
} from "../../src/commands/listItems.ts";
import { domainKey, domainNameError, splitList } from "../../src/commands/newDomainForm.ts";
import type {
  Account,
  Choices,
  Domain,
  Explanation,
  Session,
  SituationPart,
} from "../../src/protocol.ts";
import { partly } from "./partialValue.ts";

const choices: Choices = {
  brackets: [],
  agents: [
    { id: "dev", title: "Engineer" },
    { id: "qa", title: "" },
  ],
  workflows: [],
  tasks: [{ id: "login", title: "Log in" }],
  stories: [{ id: "STORY-1", title: "Accounts" }],
  squads: [],
  commands: [],
  articles: [],
};

test("the agent that is active is marked, and nobody can be chosen", () => {
  const items = agentItems(choices, partly<SituationPart>({ id: "qa" }));
  assert.deepEqual(
    items.filter(({ current }) => current).map(({ value }) => value),
    ["qa"],
  );
  assert.equal(items.at(-1)?.value, "");
});

test("a task changes the task, a story the story, none of them both", () => {
  assert.deepEqual(
    taskItems(choices, null).flatMap(({ value }) => value ?? []),
    [{ task: "login" }, { story: "STORY-1" }, { task: "", story: "" }],
  );
});

test("a list without stories has no heading for them", () => {
  const labels = taskItems({ ...choices, stories: [] }, null).map(({ label }) => label);
  assert.deepEqual(labels, ["Tasks", "login", "", "No task"]);
});

const domain = (label: string, file: string): Domain =>
  partly<Domain>({
    label,
    name: label,
    squad: null,
    active: label !== "OLD",
    nonNegotiable: false,
    layer: "L6",
    alwaysOn: false,
    agent: null,
    workflow: null,
    recall: ["coverage"],
    paths: [],
    everyNTurns: null,
    onTokens: null,
    rules: 1,
    tokens: 10,
    location: null,
    file,
  });

test("the domain of the file that is edited comes first, and one that is off says so", () => {
  const all = [domain("OLD", "file:///old"), domain("TESTING", "file:///testing")];
  assert.deepEqual(
    domainItems(all, "file:///testing").map(({ label, description }) => [label, description]),
    [
      ["This File", undefined],
      ["TESTING", "keywords"],
      ["L6 Keywords", undefined],
      ["OLD", "keywords · off"],
    ],
  );
});

test("the newest session can be followed, which means no pin", () => {
  const session = { id: "s1", title: "One", history: [], lastActivity: "" } as unknown as Session;
  const items = sessionItems({ sessions: [session], current: "s1", pinned: null }, 0, "en");
  assert.deepEqual([items[0]?.value, items[0]?.current], ["", true]);
  assert.match(items.at(-1)?.description ?? "", /current/);
});

test("a left-out rule has reason, remedy and the change that can be tried", () => {
  const rule = {
    key: "AGENT_QA_RULE_0",
    text: "Be strict",
    tokens: 5,
    rendered: false,
    reason: "no agent is active, not @qa",
    remedy: "activate @qa",
    attempt: { agent: "qa" },
    location: null,
  };
  const answer = {
    domains: [
      { label: "AGENT_QA", rules: [rule] },
      { label: "GLOBAL", rules: [{ ...rule, rendered: true }] },
    ],
  } as unknown as Explanation;
  const items = leftOutItems(answer);
  assert.deepEqual(
    items.map(({ label }) => label),
    ["AGENT_QA", "Be strict"],
  );
  assert.equal(items[1]?.detail, "no agent is active, not @qa → activate @qa");
  assert.deepEqual(items[1]?.value?.attempt?.change, { agent: "qa" });
  assert.deepEqual(leftOutItems(answer, "AGENT_QA"), items);
  assert.deepEqual(leftOutItems(answer, "OTHER"), []);
});

test("an account says whether the rule is in the block", () => {
  const account = partly<Account>({
    key: "GLOBAL_RULE_0",
    domain: "GLOBAL",
    layer: "L1",
    text: "Be kind",
    rendered: true,
    reason: "it holds for every prompt",
    remedy: "",
    tokens: 4,
    location: null,
  });
  const [item] = accountItems([account]);
  assert.equal(item?.label, "$(pass) Be kind");
  assert.equal(item?.description, "GLOBAL_RULE_0 · in the block · 4 tokens");
  assert.equal(item?.detail, "it holds for every prompt");
});

test("the remedy for a single rule has a row that tries it", () => {
  const account = partly<Account>({
    key: "AGENT_QA_RULE_0",
    domain: "AGENT_QA",
    layer: null,
    text: "Be strict",
    rendered: false,
    reason: "no agent is active, not @qa",
    remedy: "activate @qa",
    attempt: { agent: "qa" },
    tokens: 4,
    location: null,
  });
  const [told, remedy] = accountItems([account]);
  assert.equal(told?.detail, "no agent is active, not @qa");
  assert.equal(remedy?.label, "$(lightbulb) activate @qa");
  assert.equal(remedy?.value?.tries, true);
  assert.equal(accountItems([account, account]).length, 2);
});

test("the name of a domain may be written in either case", () => {
  assert.equal(domainKey(" unit-tests "), "UNIT_TESTS");
  assert.equal(domainNameError("unit-tests", []), undefined);
  assert.match(domainNameError("Unit Tests", ["UNIT_TESTS"]) ?? "", /already/);
  assert.match(domainNameError("1st", []) ?? "", /begins with a letter/);
});

test("a list with commas has no empty parts", () => {
  assert.deepEqual(splitList(" unit test, ,fixtures,"), ["unit test", "fixtures"]);
});
