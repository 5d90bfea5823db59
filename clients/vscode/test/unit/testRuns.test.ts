import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestOutcome } from "../../src/protocol.ts";
import { casesByFile, failureText, outcomeText, testItemId } from "../../src/testing/testRuns.ts";

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const failure = { range, message: "MONEY is not in the block.", remedy: "Switch it on." };
const outcome: TestOutcome = {
  uri: "file:///t.toml",
  number: 0,
  name: "money",
  passed: false,
  bracket: "FRESH",
  tokens: 12,
  failures: [failure],
};

test("a test failure shows message and remedy", () => {
  assert.equal(failureText(failure), "MONEY is not in the block. Switch it on.");
  assert.equal(failureText({ ...failure, remedy: null }), "MONEY is not in the block.");
});

test("the output has a line for each case, and its failures below it", () => {
  assert.match(outcomeText(outcome), /^failed {2}money \(FRESH, 12 tokens\)\r\n +MONEY is not/);
  assert.equal(
    outcomeText({ ...outcome, passed: true, failures: [] }),
    "passed  money (FRESH, 12 tokens)",
  );
});

test("no word of a case steers the terminal or is a line of its own", () => {
  const odd = "a\u001b[2J\u009b1m\u202e\r\npassed  b";
  const failures = [{ range, message: odd, remedy: odd }];
  const lines = outcomeText({ ...outcome, name: odd, bracket: odd, failures }).split("\r\n");
  assert.equal(lines.length, 2);
  assert.doesNotMatch(lines.join(""), /[\p{Cc}\p{Cf}]/u);
});

test("cases of one file are run together", () => {
  const chosen = [
    { uri: "a", number: 0 },
    { uri: "b", number: 1 },
    { uri: "a", number: 2 },
  ];
  assert.deepEqual(
    [...casesByFile(chosen)],
    [
      ["a", [0, 2]],
      ["b", [1]],
    ],
  );
});

test("a whole file takes its cases in, whichever was chosen first", () => {
  assert.deepEqual([...casesByFile([{ uri: "a" }, { uri: "a", number: 1 }])], [["a", undefined]]);
  assert.deepEqual([...casesByFile([{ uri: "a", number: 1 }, { uri: "a" }])], [["a", undefined]]);
});

test("a case and its file have ids of their own", () => {
  assert.notEqual(testItemId("a"), testItemId("a", 0));
});
