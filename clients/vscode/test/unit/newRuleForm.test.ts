import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commandNameError,
  normalizeCommandName,
  parentQuestion,
  ruleTextQuestion,
} from "../../src/commands/newRuleForm.ts";
import type { Choices } from "../../src/protocol.ts";
import { partly } from "./partialValue.ts";

const known = partly<Choices>({
  brackets: [{ name: "FRESH", label: "60–100%", floor: 60, budget: 800 }],
  agents: [],
  workflows: [],
  tasks: [],
  stories: [],
  squads: [],
  commands: [{ id: "brief", title: "" }],
  articles: [
    { id: "1", title: "CLI First (MUST)" },
    { id: "4", title: "No Invention (MUST)" },
  ],
});

const values = (domain: string) => parentQuestion(domain, known)?.items.map(({ value }) => value);

test("a rule of most domains belongs to nothing else", () => {
  assert.equal(parentQuestion("TESTING", known), undefined);
});

test("a rule of CONTEXT belongs to a bracket", () => {
  assert.deepEqual(values("CONTEXT"), [{ bracket: "FRESH" }]);
});

test("a rule of COMMANDS belongs to a star-command, or to a new one", () => {
  assert.deepEqual(values("COMMANDS"), [{ command: "brief" }, "new"]);
});

test("a rule of the constitution belongs to an article, or to the next", () => {
  assert.deepEqual(values("CONSTITUTION"), [{ article: 1 }, { article: 4 }, { article: 5 }]);
});

test("the first article is number 1", () => {
  const items = parentQuestion("CONSTITUTION", { ...known, articles: [] })?.items;
  assert.deepEqual(
    items?.map(({ value }) => value),
    [{ article: 1 }],
  );
});

test("the first rule of a new article is its title", () => {
  assert.match(ruleTextQuestion({ article: 5 }, known).placeHolder, /MUST/);
  assert.doesNotMatch(ruleTextQuestion({ article: 4 }, known).placeHolder, /MUST/);
  assert.doesNotMatch(ruleTextQuestion({}, known).placeHolder, /MUST/);
});

test("a star-command's name is normalised and must be new", () => {
  assert.equal(normalizeCommandName(" *Dry Run "), "dry-run");
  assert.equal(commandNameError("*dry_run", known), undefined);
  assert.match(commandNameError("*Brief", known) ?? "", /already/);
  assert.match(commandNameError("4ever", known) ?? "", /begins with a letter/);
});
