/** What the extension starts, and what that starts by name, is not of a folder that is open. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, test } from "node:test";
import type { LogOutputChannel } from "vscode";
import { selectInterpreter } from "../../src/server/interpreterPicker.ts";
import { interpreterProbe } from "../../src/server/interpreterProbe.ts";
import type { ServerLaunch } from "../../src/server/launchCommand.ts";
import type { PythonExtensions } from "../../src/server/pythonExtensions.ts";
import { startServerProcess } from "../../src/server/serverProcess.ts";
import { runCli } from "../../src/workspace/cliProcess.ts";
import { partly } from "./partialValue.ts";
import { window, workspace } from "./vscodeStub.ts";

const searchPath = process.env.PATH;
const skip = process.platform === "win32";
const open = path.join(tmpdir(), "open");
const tools = path.join(tmpdir(), "tools");
const own = path.join(homedir(), "bin");
/** Prints its search path. */
const launch = { command: process.execPath, args: ["-p", "process.env.PATH", "--"] };

function openFolders(...folders: string[]): void {
  workspace.workspaceFolders = folders.map((fsPath) => ({ uri: { fsPath } }));
}

beforeEach(() => {
  process.env.PATH = [path.join(open, "bin"), "bin", tools, own].join(path.delimiter);
  openFolders(homedir(), open);
});

afterEach(() => {
  process.env.PATH = searchPath;
  workspace.workspaceFolders = undefined;
  workspace.isTrusted = true;
});

test("no folder that is open is on the search path of a command", async () => {
  const { output } = await runCli(partly<ServerLaunch>(launch), tmpdir(), []);
  assert.equal(output.trim(), [tools, own].join(path.delimiter));
});

test("nor on that of an interpreter that is asked for its version", async () => {
  const detail = [tools, own].join(path.delimiter);
  assert.deepEqual(await interpreterProbe(tmpdir(), false)(launch), { kind: "failed", detail });
});

test("nor on that of the server", async () => {
  const log = partly<LogOutputChannel>({ info: () => undefined, error: assert.fail });
  const { stdout } = startServerProcess(partly<ServerLaunch>(launch), tmpdir(), log);
  assert(stdout !== null);
  assert.equal((await text(stdout)).trim(), [tools, own].join(path.delimiter));
});

test("the list of interpreters starts none of a folder that is not trusted", { skip }, async () => {
  assert.deepEqual(await listInterpreters(false), []);
});

test("in a trusted folder it has the environment of the project, each by its path", {
  skip,
}, async () => {
  assert.deepEqual(await listInterpreters(true), ["bin/python3", "env/bin/python"]);
});

/**
 * Opens the list where an extension has chosen an interpreter of the folder and the search path
 * leads to another; returns those that were started, which are also those in the list.
 */
async function listInterpreters(isTrusted: boolean): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "picker-"));
  const interpreters = ["bin/python3", "env/bin/python"].map((name) => path.join(folder, name));
  for (const file of interpreters) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n: >"$0-ran"\necho 3.12.0\n', { mode: 0o755 });
  }
  process.env.PATH = path.join(folder, "bin");
  openFolders(folder);
  workspace.isTrusted = isTrusted;
  const pick = new QuickPick();
  window.createQuickPick = () => pick;
  const findCandidates = async () => [{ command: interpreters[1] ?? "", args: [] }];
  const extensions = { sources: [{ origin: "python" as const, findCandidates }] };
  await selectInterpreter(tmpdir(), partly<PythonExtensions>(extensions));
  const started = interpreters.filter((file) => existsSync(`${file}-ran`));
  const listed = pick.items.flatMap(({ setting }) => setting || []);
  assert.deepEqual(listed.sort(), started);
  rmSync(folder, { recursive: true });
  return started.map((file) => path.relative(folder, file));
}

/** A list that is left as soon as it is complete. */
class QuickPick {
  items: readonly { readonly setting?: string }[] = [];
  private hide = (): void => undefined;

  set busy(busy: boolean) {
    if (!busy) {
      this.hide();
    }
  }

  onDidAccept(): void {}

  onDidHide(hide: () => void): void {
    this.hide = hide;
  }

  show(): void {}

  dispose(): void {}
}
