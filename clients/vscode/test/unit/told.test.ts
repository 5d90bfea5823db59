import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sentenceOf } from "../../src/sentences.ts";
import { attemptOf, reasonOf, remedyOf } from "../../src/told.ts";

const qa = {
  reason: "said in English",
  because: [{ code: "no-agent", values: ["qa"] }],
  remedy: "done in English",
  change: { code: "activate-agent", values: ["qa"] },
  attempt: { agent: "qa" },
};

/** Code and sentence of each phrase that the server has. */
function phrases(): [string, string][] {
  const source = readFileSync("../../server/synapse_ls/engine/phrases.py", "utf8");
  const table = source.slice(source.indexOf("SENTENCES = {"), source.indexOf("\n}\n"));
  return [...table.matchAll(/^ {4}"([a-z-]+)": (['"])(.+)\2,$/gm)].map((found) => [
    found[1] ?? "",
    found[3] ?? "",
  ]);
}

function places(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\d\}/g)].map(String))].sort();
}

test("each phrase of the server has a sentence with the same places", () => {
  const all = phrases();
  assert.ok(all.length > 60);
  for (const [code, english] of all) {
    const said = sentenceOf({ code, values: ["{0}", "{1}", "{2}", "{3}", "{4}"] });
    assert.deepEqual(places(said ?? "none"), places(english), code);
  }
});

test("reason and remedy are told by their codes", () => {
  assert.equal(reasonOf(qa), "it is for @qa; no agent is active");
  assert.equal(remedyOf(qa), "activate @qa");
});

test("a reason of several parts joins them", () => {
  const because = [...qa.because, { code: "waits-turns", values: ["5"] }];
  const reason = "it is for @qa; no agent is active; it is told every 5 prompts";
  assert.equal(reasonOf({ ...qa, because }), reason);
});

test("a code that is not known is told in the server's words", () => {
  const because = [...qa.because, { code: "moon-phase", values: [] }];
  assert.equal(reasonOf({ ...qa, because }), "said in English");
  assert.equal(remedyOf({ ...qa, change: { code: "wait", values: [] } }), "done in English");
});

test("a server without codes is told in its words", () => {
  const { reason, remedy } = qa;
  assert.equal(reasonOf({ reason, remedy }), reason);
  assert.equal(remedyOf({ reason, remedy }), remedy);
  assert.equal(attemptOf({ reason, remedy }), undefined);
});

test("a remedy that is about the situation can be tried out", () => {
  assert.deepEqual(attemptOf(qa), { label: "Try @qa", change: { agent: "qa" }, word: "" });
  const attempt = { bracket: "MODERATE" };
  assert.deepEqual(attemptOf({ ...qa, attempt })?.change, attempt);
  assert.equal(attemptOf({ ...qa, attempt })?.label, "Try MODERATE");
});

test("a remedy about the prompt adds a word to it", () => {
  const word = attemptOf({ ...qa, attempt: { prompt: "unit test" } });
  assert.deepEqual(word, { label: "Try “unit test”", change: {}, word: "unit test" });
  assert.equal(attemptOf({ ...qa, attempt: { prompt: "*brief" } })?.label, "Try *brief");
});

test("a remedy that changes files is only told", () => {
  assert.equal(attemptOf({ ...qa, attempt: null }), undefined);
});
