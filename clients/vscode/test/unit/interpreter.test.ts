import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Answer,
  answerOf,
  candidates,
  choose,
  judge,
  spelled,
} from "../../src/interpreter.ts";

const answered = (python: string, server: string): Answer => ({
  kind: "answered",
  python,
  server,
});
const names = (...args: Parameters<typeof candidates>): string[] =>
  candidates(...args).map(spelled);

test("without a setting the interpreters of the path are tried", () => {
  assert.deepEqual(names("", "linux", "/home/ada", "/ws"), ["python3", "python"]);
  assert.deepEqual(names("", "darwin", "/home/ada", undefined), ["python3", "python"]);
});

test("on Windows the launcher comes first", () => {
  assert.deepEqual(names(" ", "win32", "C:\\Users\\ada", undefined), ["py -3", "python"]);
});

test("an interpreter that is named is the only one tried", () => {
  assert.deepEqual(names("/opt/py/bin/python", "linux", "/home/ada", "/ws"), [
    "/opt/py/bin/python",
  ]);
});

test("home and workspace folder are filled in", () => {
  assert.deepEqual(names("~/venv/bin/python", "linux", "/home/ada", "/ws"), [
    "/home/ada/venv/bin/python",
  ]);
  assert.deepEqual(names("${workspaceFolder}/.venv/bin/python", "linux", "/home/ada", "/w$&s"), [
    "/w$&s/.venv/bin/python",
  ]);
});

test("a tilde inside a path is left alone", () => {
  assert.deepEqual(names("/opt/~x/python", "linux", "/home/ada", undefined), ["/opt/~x/python"]);
});

test("an answer is judged by the versions in it", () => {
  assert.equal(judge(answered("3.11.0", "0.1.0")), "fits");
  assert.equal(judge(answered("3.14.0", "1.0.0")), "fits");
  assert.equal(judge(answered("3.9.18", "0.1.0")), "old-python");
  assert.equal(judge(answered("2.7.18", "")), "old-python");
  assert.equal(judge(answered("3.12.1", "")), "no-server");
  assert.equal(judge(answered("3.12.1", "0.0.9")), "old-server");
});

test("versions are compared as numbers", () => {
  assert.equal(judge(answered("3.9.0", "0.1.0")), "old-python");
  assert.equal(judge(answered("3.11.0", "0.10.0")), "fits");
});

test("a development version is as good as the release it leads to", () => {
  assert.equal(judge(answered("3.13.0", "0.1.0.dev3")), "fits");
});

test("the output of the probe is read, with either kind of line break", () => {
  assert.deepEqual(answerOf("3.12.1\n0.1.0\n"), answered("3.12.1", "0.1.0"));
  assert.deepEqual(answerOf("3.12.1\r\n0.1.0\r\n"), answered("3.12.1", "0.1.0"));
  assert.deepEqual(answerOf("2.7.18\n\n"), answered("2.7.18", ""));
});

test("an interpreter that says something else has failed", () => {
  assert.deepEqual(answerOf("Python was not found; run without arguments to install\n"), {
    kind: "failed",
    detail: "Python was not found; run without arguments to install",
  });
  assert.equal(answerOf("").kind, "failed");
});

test("the first interpreter that fits is taken, and none is started after it", async () => {
  const started: string[] = [];
  const answers: Record<string, Answer> = {
    python3: answered("3.9.2", ""),
    python: answered("3.12.1", "0.1.0"),
    never: { kind: "absent" },
  };
  const tried = ["python3", "python", "never"].map((command) => ({ command, args: [] }));
  const choice = await choose(tried, async ({ command }) => {
    started.push(command);
    return answers[command] ?? { kind: "absent" };
  });
  assert.equal(choice.chosen?.command, "python");
  assert.deepEqual(started, ["python3", "python"]);
});

test("when none fits, every attempt is kept for the message", async () => {
  const tried = ["python3", "python"].map((command) => ({ command, args: [] }));
  const choice = await choose(tried, async () => ({ kind: "absent" }));
  assert.equal(choice.chosen, undefined);
  assert.deepEqual(
    choice.attempts.map(({ verdict }) => verdict),
    ["absent", "absent"],
  );
});
