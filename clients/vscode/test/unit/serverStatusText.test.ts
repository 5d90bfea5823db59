import assert from "node:assert/strict";
import { test } from "node:test";
import { serverLaunch } from "../../src/server/launchCommand.ts";
import { instructionStatusView, serverStatusView } from "../../src/status/serverStatusText.ts";
import { fixedText } from "../../src/text/countTexts.ts";

const interpreter = {
  origin: "path",
  candidate: { command: "py", args: ["-3"] },
  python: "3.12.1",
  server: "",
} as const;
const launch = serverLaunch(interpreter, "useBundled", "/ext/server", true);

test("a running server shows its version, its Python and its origin", () => {
  const view = serverStatusView({ kind: "running" }, launch, "0.1.0", false);
  assert.equal(view.text, "Synapse LS 0.1.0");
  assert.equal(view.detail, "Python 3.12.1 (py -3) · server of the extension");
  assert.equal(view.action.command, "synapse.showLog");
  assert.equal(view.busy, false);
});

test("the status is busy while the server reads a tree", () => {
  const view = serverStatusView({ kind: "running" }, launch, "0.1.0", true);
  assert.equal(view.busy, true);
  assert.match(view.text, /reading the rule tree$/);
});

test("the status is busy while the server starts", () => {
  assert.equal(serverStatusView({ kind: "starting" }, undefined, undefined, false).busy, true);
});

test("a stopped server shows problem and remedy", () => {
  const failure = { problem: "No Python.", remedy: "Install it.", actions: [] };
  const view = serverStatusView({ kind: "stopped", failure }, undefined, undefined, false);
  assert.deepEqual([view.text, view.detail, view.severity], ["No Python.", "Install it.", "error"]);
  assert.equal(view.action.command, "synapse.showProblem");
});

test("an untrusted folder is shown with its effect and a way to change trust", () => {
  const limited = serverLaunch(interpreter, "useBundled", "/ext/server", false);
  const view = serverStatusView({ kind: "running" }, limited, "0.1.0", false);
  assert.match(view.detail, /changes nothing, as the folder is not trusted$/);
  assert.equal(view.action.command, "workbench.trust.manage");
});

test("a file of instructions says whether its text is checked, and what is not", () => {
  const off = instructionStatusView(false);
  assert.deepEqual(
    [off.text, off.action],
    ["These instructions are not checked", "Check Their Text"],
  );
  const on = instructionStatusView(true);
  assert.deepEqual(
    [on.detail, on.action],
    ["not when and where agents read them", "Stop Checking"],
  );
});

test("what was fixed is counted", () => {
  assert.equal(fixedText(0, 0), "There is nothing to fix that could be fixed safely.");
  assert.equal(fixedText(1, 1), "1 finding fixed in 1 file.");
  assert.equal(fixedText(21, 3), "21 findings fixed in 3 files.");
});
