import assert from "node:assert/strict";
import { test } from "node:test";
import { agentItems, taskItems } from "../../src/commands/items.ts";
import { headOf, trialsOf } from "../../src/commands/trial.ts";
import type { Choices } from "../../src/protocol.ts";

const CHOICES: Choices = {
  brackets: [],
  agents: [{ id: "dev", title: "" }],
  workflows: [],
  tasks: [{ id: "review", title: "" }],
  stories: [],
  squads: [],
  commands: [],
  articles: [],
};

test("without a session the list says so before anything is chosen", () => {
  assert.match(headOf("agent", false).placeholder, /no session yet.*Context panel/);
  assert.match(headOf("task", false).placeholder, /no session yet.*Context panel/);
  assert.match(headOf("agent", true).placeholder, /current session/);
});

test("nobody and nothing cannot be tried out where that is how it is", () => {
  const labels = (items: readonly { label: string }[]) => items.map(({ label }) => label);
  assert.deepEqual(labels(trialsOf(agentItems(CHOICES, null))), ["@dev"]);
  assert.deepEqual(labels(trialsOf(taskItems(CHOICES, null))), ["Tasks", "review"]);
});
