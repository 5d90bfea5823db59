import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { plainAnswer } from "../../src/ai/answerParts";
import { modelPrompt, REQUEST_HANDLERS } from "../../src/ai/chatRequests";
import { modelTools } from "../../src/ai/modelTools";
import type { TreeQueries } from "../../src/ai/treeQueries";
import type { Account, Context, Explanation, QuestionParams } from "../../src/protocol";
import { partly } from "./partialValue.ts";

const { contributes } = JSON.parse(readFileSync("package.json", "utf8"));
const location = {
  uri: "file:///p/.synapse/manifest",
  range: { start: { line: 32, character: 0 }, end: { line: 33, character: 0 } },
};
const account = partly<Account>({
  key: "TESTING_RULE_1",
  domain: "TESTING",
  layer: null,
  text: "Name *one* behaviour.",
  rendered: false,
  reason: "the prompt has none of its keywords",
  remedy: 'say "unit test" in the prompt',
  tokens: 9,
  location,
});
const nobody = { agent: { id: "dev" }, workflow: null, task: null, squad: null };

/** Answers as a server would for a tree of two domains; `asked` has the questions. */
function facts(asked: QuestionParams[] = []): TreeQueries {
  const context = {
    block: "<synapse-rules>\n```\nrule\n</synapse-rules>\n",
    bracket: "FRESH",
    usage: { remaining: 62.5, source: "measured" },
    tokens: 12,
    budget: 800,
    unbounded: false,
    cuts: [{ key: "GLOBAL_RULE_9", domain: "GLOBAL", text: "Last.", tokens: 2, location: null }],
    notes: [],
  } as unknown as Context;
  const rule = { key: "", text: "", tokens: 5, reason: "", remedy: "", location: null };
  const explanation = {
    ...nobody,
    bracket: "FRESH",
    domains: [
      {
        label: "GLOBAL",
        reason: "it holds for every prompt",
        remedy: "",
        rules: [
          { ...rule, rendered: true },
          { ...rule, rendered: false },
        ],
        location: null,
      },
      { label: "TESTING", reason: "it sleeps", remedy: "wake it", rules: [], location },
    ],
  } as unknown as Explanation;
  return {
    context: async (question) => {
      asked.push(question);
      return context;
    },
    explain: async () => explanation,
    accountsByName: async (rule) => (rule === "TESTING_RULE_1" ? [account] : []),
    accountsAt: async () => [account],
    findings: async () => [],
    fileUri: (path) => `file:///p/${path}`,
  };
}

async function answer(command: string, prompt: string, place = false): Promise<string> {
  const at = { uri: location.uri, position: { line: 0, character: 0 } };
  const gathered = await REQUEST_HANDLERS[command]?.(
    { prompt, place: place ? at : undefined },
    facts(),
  );
  return plainAnswer(gathered?.parts ?? []);
}

test("the manifest and the handlers name the same commands and tools", () => {
  const names = (list: readonly { readonly name: string }[]): string[] =>
    list.map(({ name }) => name).sort();
  const [{ commands }] = contributes.chatParticipants;
  assert.deepEqual(names(commands), Object.keys(REQUEST_HANDLERS).filter(Boolean).sort());
  assert.deepEqual(
    names(modelTools(contributes.languageModelTools, facts())),
    names(contributes.languageModelTools),
  );
});

test("/context shows the block, its size and what had no room, and needs no model", async () => {
  const text = await answer("context", "");
  assert.match(text, /^\*\*FRESH\*\* · 62\.5% left \(measured\) · 12 of 800 tokens/);
  assert.match(text, /- GLOBAL_RULE_9: Last\./);
  const gathered = await REQUEST_HANDLERS.context?.({ prompt: "", place: undefined }, facts());
  assert.equal(gathered?.task, undefined);
});

test("a block with fences of its own cannot end the one around it", async () => {
  assert.match(await answer("context", ""), /````text\n[\s\S]*\n````\n/);
});

test("/explain accounts for a rule by its name", async () => {
  const text = await answer("explain", "TESTING_RULE_1");
  assert.equal(
    text.trim(),
    '**TESTING_RULE_1** (.synapse/manifest:33): not in the block, because the prompt has none of its keywords. To change that: say "unit test" in the prompt.\n> Name *one* behaviour.',
  );
});

test("/explain without words is about the place of the cursor", async () => {
  assert.match(await answer("explain", "", true), /^\*\*TESTING_RULE_1\*\* \(/);
});

test("/explain takes words that name no rule for a prompt", async () => {
  const text = await answer("explain", "Add a test");
  assert.match(text, /^\*\*FRESH\*\* · Agent: @dev/);
  assert.match(text, /In the block\*\*\n\n- \*\*GLOBAL\*\*: it holds .*\(1 of 2 rules, 5 tokens\)/);
  assert.match(
    text,
    /Left out\*\*\n\n- \*\*TESTING\*\* \(.synapse\/manifest:33\): it sleeps\. To change that: wake it\./,
  );
});

test("/check has nothing for a model where there is no finding", async () => {
  const gathered = await REQUEST_HANDLERS.check?.({ prompt: "", place: undefined }, facts());
  assert.equal(plainAnswer(gathered?.parts ?? []), "There are no findings.\n");
  assert.equal(gathered?.task, undefined);
});

test("a question goes to the model with the facts, which a person sees only without one", async () => {
  const asked = { prompt: "Why is TESTING asleep?", place: undefined };
  const gathered = await REQUEST_HANDLERS[""]?.(asked, facts());
  assert.equal(gathered?.isShown, false);
  const text = modelPrompt(gathered ?? assert.fail(), asked);
  assert.match(text, /<facts>\n[\s\S]*it sleeps[\s\S]*<\/facts>/);
  assert.match(text, /The question: Why is TESTING asleep\?$/);
});

test("a tool takes what fits its input and leaves the rest", async () => {
  const asked: QuestionParams[] = [];
  const [tool] = modelTools(contributes.languageModelTools, facts(asked));
  await tool?.run({ prompt: "Add a test", agent: " ", bracket: 3, other: "x", file: "a/b" });
  await tool?.run("nonsense");
  assert.deepEqual(asked, [{ prompt: "Add a test", uri: "file:///p/a/b" }, {}]);
});
