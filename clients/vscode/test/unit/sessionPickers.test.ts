import assert from "node:assert/strict";
import { test } from "node:test";
import { agentItems, taskItems } from "../../src/commands/listItems.ts";
import { itemsToTry, pickerTexts } from "../../src/commands/sessionPickers.ts";
import type { Choices } from "../../src/protocol.ts";
import { partly } from "./partialValue.ts";

const CHOICES = partly<Choices>({
  brackets: [],
  agents: [{ id: "dev", title: "" }],
  workflows: [],
  tasks: [{ id: "review", title: "" }],
  stories: [],
  squads: [],
  commands: [],
  articles: [],
});

test("without a session the picker says so in its title", () => {
  assert.match(pickerTexts("agent", false).placeholder, /no session yet.*Context panel/);
  assert.match(pickerTexts("task", false).placeholder, /no session yet.*Context panel/);
  assert.match(pickerTexts("agent", true).placeholder, /current session/);
});

test('"no agent" and "no task" cannot be tried without a session', () => {
  const labels = (items: readonly { label: string }[]) => items.map(({ label }) => label);
  assert.deepEqual(labels(itemsToTry(agentItems(CHOICES, null))), ["@dev"]);
  assert.deepEqual(labels(itemsToTry(taskItems(CHOICES, null))), ["Tasks", "review"]);
});
