import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Reason } from "../../src/protocol.ts";
import {
  remedyAttempt,
  translatePhrase,
  translateReason,
  translateRemedy,
} from "../../src/text/ruleReasons.ts";
import { partly } from "./partialValue.ts";

const qa = {
  reason: "said in English",
  because: [{ code: "no-agent", values: ["qa"] }],
  remedy: "done in English",
  change: { code: "activate-agent", values: ["qa"] },
  attempt: { agent: "qa" },
};

/** Code and sentence of each phrase that the server has. */
function phrases(): [string, string][] {
  const source = readFileSync("../../server/synapse_ls/engine/reason_phrases.py", "utf8");
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
    const said = translatePhrase({ code, values: ["{0}", "{1}", "{2}", "{3}", "{4}"] });
    assert.deepEqual(places(said ?? "none"), places(english), code);
  }
});

test("a client has its title in each sentence that names it", () => {
  for (const code of ["native", "native-main", "elsewhere", "own-by", "read-by"]) {
    const sentence = translatePhrase({ code, values: ["claude", "CLAUDE.md", "@qa"] });
    assert.match(sentence ?? "", /Claude Code/, code);
  }
});

test("reason and remedy are translated by their codes", () => {
  assert.equal(translateReason(qa), "it is for @qa; no agent is active");
  assert.equal(translateRemedy(qa), "activate @qa");
});

test("a reason of several parts joins them", () => {
  const because = [...qa.because, { code: "waits-turns", values: ["5"] }];
  const reason = "it is for @qa; no agent is active; it is injected every 5 prompts";
  assert.equal(translateReason({ ...qa, because }), reason);
});

test("an unknown code is shown in the server's words", () => {
  const because = [...qa.because, { code: "moon-phase", values: [] }];
  assert.equal(translateReason({ ...qa, because }), "said in English");
  assert.equal(translateRemedy({ ...qa, change: { code: "wait", values: [] } }), "done in English");
});

test("a server without codes is shown in its own words", () => {
  const { reason, remedy } = qa;
  assert.equal(translateReason(partly<Reason>({ reason, remedy })), reason);
  assert.equal(translateRemedy(partly<Reason>({ reason, remedy })), remedy);
  assert.equal(remedyAttempt(partly<Reason>({ reason, remedy })), undefined);
});

test("a remedy that is about the situation can be tried out", () => {
  assert.deepEqual(remedyAttempt(qa), { label: "Try @qa", change: { agent: "qa" }, word: "" });
  const attempt = { bracket: "MODERATE" };
  assert.deepEqual(remedyAttempt({ ...qa, attempt })?.change, attempt);
  assert.equal(remedyAttempt({ ...qa, attempt })?.label, "Try MODERATE");
});

test("a remedy about the prompt adds a word to it", () => {
  const word = remedyAttempt({ ...qa, attempt: { prompt: "unit test" } });
  assert.deepEqual(word, { label: "Try “unit test”", change: {}, word: "unit test" });
  assert.equal(remedyAttempt({ ...qa, attempt: { prompt: "*brief" } })?.label, "Try *brief");
});

test("a remedy that changes files cannot be tried", () => {
  assert.equal(remedyAttempt({ ...qa, attempt: null }), undefined);
});
