import assert from "node:assert/strict";
import { test } from "node:test";
import { launchOf } from "../../src/launch.ts";
import { serverViewOf } from "../../src/serverStatus.ts";

const interpreter = {
  origin: "path",
  candidate: { command: "py", args: ["-3"] },
  python: "3.12.1",
  server: "",
} as const;
const launch = launchOf(interpreter, "useBundled", "/ext/server", true);

test("a running server tells its version, its Python and where it comes from", () => {
  const view = serverViewOf({ kind: "running" }, launch, "0.1.0", false);
  assert.equal(view.text, "Synapse LS 0.1.0");
  assert.equal(view.detail, "Python 3.12.1 (py -3) · server of the extension");
  assert.equal(view.action.command, "synapse.showLog");
  assert.equal(view.busy, false);
});

test("while it reads a tree it is busy", () => {
  const view = serverViewOf({ kind: "running" }, launch, "0.1.0", true);
  assert.equal(view.busy, true);
  assert.match(view.text, /reading the rule tree$/);
});

test("while it starts it is busy", () => {
  assert.equal(serverViewOf({ kind: "starting" }, undefined, undefined, false).busy, true);
});

test("where it cannot run the problem and the way out are told", () => {
  const failure = { problem: "No Python.", remedy: "Install it.", actions: [] };
  const view = serverViewOf({ kind: "stopped", failure }, undefined, undefined, false);
  assert.deepEqual([view.text, view.detail, view.severity], ["No Python.", "Install it.", "error"]);
  assert.equal(view.action.command, "synapse.showProblem");
});

test("in a folder that is not trusted it says what that means, and where to change it", () => {
  const limited = launchOf(interpreter, "useBundled", "/ext/server", false);
  const view = serverViewOf({ kind: "running" }, limited, "0.1.0", false);
  assert.match(view.detail, /changes nothing, as the folder is not trusted$/);
  assert.equal(view.action.command, "workbench.trust.manage");
});
