import assert from "node:assert/strict";
import { test } from "node:test";
import { complaintOf } from "../../src/runCli.ts";

const finished = { code: 2, output: "", aside: "" };

test("a complaint is what a person would say: sentence and remedy, without their labels", () => {
  const aside = "error: There are no sessions.\n  remedy: Begin one.\n";
  assert.equal(complaintOf({ ...finished, aside }), "There are no sessions. Begin one.");
});

test("what is said without a label stays, and so does a word that only looks like one", () => {
  const output = "usage: synapse\r\n\r\nan error: in the middle\r\n";
  assert.equal(complaintOf({ ...finished, output }), "usage: synapse an error: in the middle");
});
