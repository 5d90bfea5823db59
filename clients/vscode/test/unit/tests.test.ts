import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestOutcome } from "../../src/protocolTree.ts";
import { idOf, lineOf, messageOf, wantedOf } from "../../src/testing/tests.ts";

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

test("a failure tells what is wrong and what to do", () => {
  assert.equal(messageOf(failure), "MONEY is not in the block. Switch it on.");
  assert.equal(messageOf({ ...failure, remedy: null }), "MONEY is not in the block.");
});

test("the output has a line for each case, and its failures below it", () => {
  assert.match(lineOf(outcome), /^failed {2}money \(FRESH, 12 tokens\)\r\n +MONEY is not/);
  assert.equal(
    lineOf({ ...outcome, passed: true, failures: [] }),
    "passed  money (FRESH, 12 tokens)",
  );
});

test("cases of one file are run together", () => {
  const chosen = [
    { uri: "a", number: 0 },
    { uri: "b", number: 1 },
    { uri: "a", number: 2 },
  ];
  assert.deepEqual(
    [...wantedOf(chosen)],
    [
      ["a", [0, 2]],
      ["b", [1]],
    ],
  );
});

test("a whole file takes its cases in, whichever was chosen first", () => {
  assert.deepEqual([...wantedOf([{ uri: "a" }, { uri: "a", number: 1 }])], [["a", undefined]]);
  assert.deepEqual([...wantedOf([{ uri: "a", number: 1 }, { uri: "a" }])], [["a", undefined]]);
});

test("a case and its file have ids of their own", () => {
  assert.notEqual(idOf("a"), idOf("a", 0));
});
