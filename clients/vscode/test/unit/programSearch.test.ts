import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { locateOutside } from "../../src/server/programSearch.ts";

const home = mkdtempSync(path.join(tmpdir(), "programs-"));
const workspace = path.join(home, "ws");
const suffix = process.platform === "win32" ? ".exe" : "";

/** Writes a program into a folder of the home; returns its path. */
function program(...parts: string[]): string {
  const file = path.join(home, ...parts) + suffix;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "", { mode: 0o755 });
  return file;
}

const inWorkspace = program("ws", ".venv", "bin", "python3");
const outside = program("tools", "python3");

function locate(command: string, ...searchPath: string[]): string | undefined {
  const entries = searchPath.map((entry) => path.resolve(home, entry)).join(path.delimiter);
  return locateOutside({ command, args: [] }, [workspace], entries)?.command;
}

test("the search path is followed past a folder that is not trusted", () => {
  assert.equal(locate("python3", "ws/.venv/bin", "tools"), outside);
  assert.equal(locate("python3", "WS/../ws/.venv/bin"), undefined);
  assert.equal(locate("python3", "nothing", "tools"), outside);
});

test("a relative entry of the search path counts for nothing", () => {
  const relative = path.relative(process.cwd(), path.dirname(outside));
  const found = locateOutside({ command: "python3", args: [] }, [workspace], relative);
  assert.equal(found, undefined);
});

test("a link into a folder that is not trusted is inside of it", { skip: suffix !== "" }, () => {
  mkdirSync(path.join(home, "bin"));
  symlinkSync(inWorkspace, path.join(home, "bin", "python3"));
  symlinkSync(path.join(workspace, ".venv"), path.join(home, "venv"));
  assert.equal(locate("python3", "bin", "tools"), outside);
  assert.equal(locate("python3", "venv/bin", "tools"), outside);
  assert.equal(locate(path.join(home, "venv", "bin", "python3")), undefined);
});

test("an environment in the folder is inside, wherever its interpreter leads", {
  skip: suffix !== "",
}, () => {
  mkdirSync(path.join(workspace, "env", "bin"), { recursive: true });
  symlinkSync(outside, path.join(workspace, "env", "bin", "python3"));
  assert.equal(locate("python3", "ws/env/bin"), undefined);
});

test("a project around the folder is no more trusted", () => {
  const inner = path.join(home, "repo", "packages", "a");
  mkdirSync(path.join(home, "repo", ".git"), { recursive: true });
  const file = program("repo", "bin", "python3");
  assert.equal(locateOutside({ command: file, args: [] }, [inner]), undefined);
});

test("so is the project around the folder that has another sign, and its other work trees", () => {
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    writeFileSync(path.join(home, file), text);
  };
  const own = path.join(home, "main", ".git", "worktrees", "wt");
  write("main/.git/worktrees/wt/commondir", "../..\n");
  write("wt/.git", `gitdir: ${own}\n`);
  write("archive/chati.dev/x", "");
  const inMain = program("main", "tools", "python3");
  const inArchive = program("archive", "tools", "python3");
  const found = (command: string, folder: string) =>
    locateOutside({ command, args: [] }, [path.join(home, folder)])?.command;
  assert.equal(found(inMain, "wt/packages/a"), undefined);
  assert.equal(found(program("wt", "tools", "python3"), "main"), undefined);
  assert.equal(found(inArchive, "archive/packages/a"), undefined);
  assert.equal(found(inArchive, "wt"), inArchive);
  assert.equal(found(inMain, "archive"), inMain);
});

test("what is named by a path is taken as it is, if it is absolute and outside", () => {
  const missing = path.join(home, "tools", "python3.99");
  assert.equal(locate(outside), outside);
  assert.equal(locate(missing), missing);
  for (const command of [
    inWorkspace,
    "./python3",
    ".venv/bin/python",
    path.join(home, "x/../ws/p"),
  ]) {
    assert.equal(locate(command), undefined, command);
  }
});
