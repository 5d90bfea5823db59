import assert from "node:assert/strict";
import { test } from "node:test";
import { addOptions, failureMessage } from "../../src/workspace/cliProcess.ts";

const finished = { code: 2, output: "", errorOutput: "" };

test("a failure message has sentence and remedy without their labels", () => {
  const errorOutput = "error: There are no sessions.\n  remedy: Begin one.\n";
  assert.equal(failureMessage({ ...finished, errorOutput }), "There are no sessions. Begin one.");
});

test("an option is no word behind those that a tree has", () => {
  assert.deepEqual(addOptions(["show", "--", "--help"], "--x"), ["show", "--x", "--", "--help"]);
  assert.deepEqual(addOptions(["list"], "--x"), ["list", "--x"]);
});

test("a line without a label stays, and so does a word that only looks like one", () => {
  const output = "usage: synapse\r\n\r\nan error: in the middle\r\n";
  assert.equal(failureMessage({ ...finished, output }), "usage: synapse an error: in the middle");
});
