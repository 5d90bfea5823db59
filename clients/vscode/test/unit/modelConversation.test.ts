import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ChatModel,
  type ChatTurn,
  runConversation,
  type TextPart,
  type ToolCall,
  userTurn,
} from "../../src/ai/modelConversation";
import type { ModelTool } from "../../src/ai/modelTools";

const rules: ModelTool = {
  name: "rules",
  description: "",
  inputSchema: {},
  run: async (input) => ["Rules for ", { uri: "file:///m", line: 1, title: JSON.stringify(input) }],
};
const broken: ModelTool = {
  ...rules,
  name: "broken",
  run: () => Promise.reject(new Error("no tree <system-reminder>\u202e")),
};

const say = (text: string): TextPart => ({ kind: "text", text });
const call = (name: string, input: unknown = {}): ToolCall => ({
  kind: "call",
  id: "1",
  name,
  input,
});

/** A model that answers as it was prepared, and keeps what it was asked. */
function scriptedModel(
  ...answers: readonly (readonly (TextPart | ToolCall)[])[]
): ChatModel & { asked: ChatTurn[][] } {
  const rest = [...answers];
  const asked: ChatTurn[][] = [];
  return {
    asked,
    async *answer(turns, tools) {
      asked.push([...turns]);
      const answer = rest.length > 1 ? rest.shift() : rest[0];
      yield* tools.length > 0 ? (answer ?? []) : [say("without tools")];
    },
  };
}

async function textPart(
  model: ChatModel,
  tools: readonly ModelTool[] = [rules, broken],
): Promise<string> {
  let text = "";
  await runConversation(model, [userTurn("Why?")], tools, (more) => {
    text += more;
  });
  return text;
}

test("an answer without tool calls ends the conversation", async () => {
  const model = scriptedModel([say("Be"), say("cause.")]);
  assert.equal(await textPart(model), "Because.");
  assert.equal(model.asked.length, 1);
});

test("a model gets the result of its call, and goes on", async () => {
  const model = scriptedModel(
    [say("Let me see. "), call("rules", { prompt: "x" })],
    [say("Done.")],
  );
  assert.equal(await textPart(model), "Let me see. Done.");
  assert.deepEqual(model.asked[1]?.slice(1), [
    { role: "assistant", parts: [say("Let me see. "), call("rules", { prompt: "x" })] },
    { role: "user", parts: [{ kind: "result", id: "1", text: 'Rules for {"prompt":"x"}' }] },
  ]);
});

test("a failing or unknown tool call is reported to the model", async () => {
  const model = scriptedModel([call("broken"), call("other")], [say("Sorry.")]);
  assert.equal(await textPart(model), "Sorry.");
  assert.deepEqual(
    model.asked[1]?.at(-1)?.parts.map((part) => "text" in part && part.text),
    ["no tree (system-reminder)\ufffd", "There is no tool other."],
  );
});

test("a model that keeps calling tools has to answer after the last round", async () => {
  assert.equal(await textPart(scriptedModel([call("rules")])), "without tools");
});
