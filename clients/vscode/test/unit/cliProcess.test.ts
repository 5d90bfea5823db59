import assert from "node:assert/strict";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { failureMessage, runCli } from "../../src/workspace/cliProcess.ts";
import { workspace } from "./vscodeStub.ts";

const finished = { code: 2, output: "", errorOutput: "" };

test("a failure message has sentence and remedy without their labels", () => {
  const errorOutput = "error: There are no sessions.\n  remedy: Begin one.\n";
  assert.equal(failureMessage({ ...finished, errorOutput }), "There are no sessions. Begin one.");
});

test("a line without a label stays, and so does a word that only looks like one", () => {
  const output = "usage: synapse\r\n\r\nan error: in the middle\r\n";
  assert.equal(failureMessage({ ...finished, output }), "usage: synapse an error: in the middle");
});

test("no folder that is open is on the search path of a command", async (context) => {
  const open = path.join(tmpdir(), "open");
  const tools = path.join(tmpdir(), "tools");
  const entries = [path.join(open, "bin"), "bin", tools, path.join(homedir(), "bin")];
  const searchPath = process.env.PATH;
  context.after(() => {
    process.env.PATH = searchPath;
    workspace.workspaceFolders = undefined;
  });
  process.env.PATH = entries.join(path.delimiter);
  workspace.workspaceFolders = [homedir(), open].map((fsPath) => ({ uri: { fsPath } }));
  const launch = { command: process.execPath, args: ["-p", "process.env.PATH"] };
  const interpreter = { origin: "path", candidate: launch, python: "", server: "" } as const;
  const { output } = await runCli(
    { ...launch, interpreter, bundled: true, trusted: true },
    tmpdir(),
    ["--"],
  );
  assert.equal(output.trim(), [tools, path.join(homedir(), "bin")].join(path.delimiter));
});
