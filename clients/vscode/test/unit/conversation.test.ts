import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Call,
  converse,
  type Model,
  type Said,
  type Turn,
  user,
} from "../../src/ai/conversation";
import type { Tool } from "../../src/ai/tools";

const rules: Tool = {
  name: "rules",
  description: "",
  inputSchema: {},
  run: async (input) => ["Rules for ", { uri: "file:///m", line: 1, title: JSON.stringify(input) }],
};
const broken: Tool = { ...rules, name: "broken", run: () => Promise.reject(new Error("no tree")) };

const say = (text: string): Said => ({ kind: "text", text });
const call = (name: string, input: unknown = {}): Call => ({ kind: "call", id: "1", name, input });

/** A model that answers as it was told beforehand, and keeps what it was asked. */
function scripted(...answers: readonly (readonly (Said | Call)[])[]): Model & { asked: Turn[][] } {
  const rest = [...answers];
  const asked: Turn[][] = [];
  return {
    asked,
    async *answer(turns, tools) {
      asked.push([...turns]);
      const answer = rest.length > 1 ? rest.shift() : rest[0];
      yield* tools.length > 0 ? (answer ?? []) : [say("without tools")];
    },
  };
}

async function said(model: Model, tools: readonly Tool[] = [rules, broken]): Promise<string> {
  let text = "";
  await converse(model, [user("Why?")], tools, (more) => {
    text += more;
  });
  return text;
}

test("an answer without calls is the end", async () => {
  const model = scripted([say("Be"), say("cause.")]);
  assert.equal(await said(model), "Because.");
  assert.equal(model.asked.length, 1);
});

test("a model gets the result of its call, and goes on", async () => {
  const model = scripted([say("Let me see. "), call("rules", { prompt: "x" })], [say("Done.")]);
  assert.equal(await said(model), "Let me see. Done.");
  assert.deepEqual(model.asked[1]?.slice(1), [
    { role: "assistant", parts: [say("Let me see. "), call("rules", { prompt: "x" })] },
    { role: "user", parts: [{ kind: "result", id: "1", text: 'Rules for {"prompt":"x"}' }] },
  ]);
});

test("a call that fails, or of a tool that is not there, is told to the model", async () => {
  const model = scripted([call("broken"), call("other")], [say("Sorry.")]);
  assert.equal(await said(model), "Sorry.");
  assert.deepEqual(
    model.asked[1]?.at(-1)?.parts.map((part) => "text" in part && part.text),
    ["no tree", "There is no tool other."],
  );
});

test("a model that calls without end has to answer at last", async () => {
  assert.equal(await said(scripted([call("rules")])), "without tools");
});
