import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chooseInterpreter,
  commandText,
  type InterpreterSource,
  interpreterFromSetting,
  interpreterSources,
  isOlderVersion,
  judgeAnswer,
  type ProbeAnswer,
  parseProbeOutput,
  pathCandidates,
  probeArguments,
} from "../../src/server/interpreterSearch.ts";

const answered = (python: string, server: string): ProbeAnswer => ({
  kind: "answered",
  python,
  server,
});

/** A source with these commands that says when it is asked. */
const source = (
  origin: InterpreterSource["origin"],
  commands: readonly string[],
  asked: string[] = [],
): InterpreterSource => ({
  origin,
  findCandidates: async () => {
    asked.push(origin);
    return commands.map((command) => ({ command, args: [] }));
  },
});

test("on the path the plain names come first, then newer versions by name", () => {
  const names = pathCandidates("linux").map(commandText);
  assert.deepEqual(names.slice(0, 3), ["python3", "python", "python3.14"]);
  assert.equal(names.at(-1), "python3.11");
});

test("on Windows the launcher comes first", () => {
  assert.deepEqual(pathCandidates("win32").map(commandText), ["py -3", "python", "python3"]);
});

test("an empty setting names nothing", () => {
  assert.equal(interpreterFromSetting("", "/home/ada", "/ws"), undefined);
  assert.equal(interpreterFromSetting("  ", "/home/ada", undefined), undefined);
});

test("home and workspace folder are filled in", () => {
  assert.equal(
    interpreterFromSetting("~/venv/bin/python", "/home/ada", "/ws")?.command,
    "/home/ada/venv/bin/python",
  );
  assert.equal(
    interpreterFromSetting("${workspaceFolder}/.venv/bin/python", "/home/ada", "/w$&s")?.command,
    "/w$&s/.venv/bin/python",
  );
});

test("a tilde inside a path is left alone", () => {
  assert.equal(
    interpreterFromSetting("/opt/~x/python", "/home/ada", undefined)?.command,
    "/opt/~x/python",
  );
});

test("an interpreter that is named is the only one tried", async () => {
  const own = { command: "/opt/bin/python", args: [] };
  const sources = interpreterSources(own, [source("python", ["/venv/bin/python"])], []);
  assert.deepEqual(await Promise.all(sources.map((each) => each.findCandidates())), [[own]]);
});

test("the Python extensions are asked before the path", () => {
  const extensions = [source("python-envs", []), source("python", [])];
  assert.deepEqual(
    interpreterSources(undefined, extensions, []).map(({ origin }) => origin),
    ["python-envs", "python", "path"],
  );
});

test("a source is asked only where those before it have no interpreter that fits", async () => {
  const asked: string[] = [];
  const sources = [
    source("python-envs", ["old"], asked),
    source("python", ["new"], asked),
    source("path", ["never"], asked),
  ];
  const { chosen } = await chooseInterpreter(sources, async ({ command }) =>
    answered(command === "old" ? "3.9.2" : "3.13.0", ""),
  );
  assert.equal(chosen?.candidate.command, "new");
  assert.equal(chosen?.origin, "python");
  assert.deepEqual(asked, ["python-envs", "python"]);
});

test("an interpreter that two sources name is started once", async () => {
  const started: string[] = [];
  const sources = [source("python-envs", ["same", "same"]), source("python", ["same", "other"])];
  await chooseInterpreter(sources, async ({ command }) => {
    started.push(command);
    return { kind: "absent" };
  });
  assert.deepEqual(started, ["same", "other"]);
});

test("a probe answer is judged by its version of Python", () => {
  assert.equal(judgeAnswer(answered("3.11.0", "")), "fits");
  assert.equal(judgeAnswer(answered("3.14.0", "1.0.0")), "fits");
  assert.equal(judgeAnswer(answered("3.9.18", "0.1.0")), "old-python");
  assert.equal(judgeAnswer(answered("2.7.18", "")), "old-python");
  assert.equal(judgeAnswer({ kind: "absent" }), "absent");
});

test("versions are compared as numbers", () => {
  assert.equal(isOlderVersion("3.9.0", "3.11"), true);
  assert.equal(isOlderVersion("0.10.0", "0.1.0"), false);
});

test("a development version is as good as the release it leads to", () => {
  assert.equal(isOlderVersion("0.1.0.dev3", "0.1.0"), false);
});

test("the output of the probe is read, with either kind of line break", () => {
  assert.deepEqual(parseProbeOutput("3.12.1\n0.1.0\n"), answered("3.12.1", "0.1.0"));
  assert.deepEqual(parseProbeOutput("3.12.1\r\n0.1.0\r\n"), answered("3.12.1", "0.1.0"));
  assert.deepEqual(parseProbeOutput("2.7.18\n\n"), answered("2.7.18", ""));
});

test("an interpreter with other output has failed", () => {
  assert.deepEqual(parseProbeOutput("Python was not found; run without arguments to install\n"), {
    kind: "failed",
    detail: "Python was not found; run without arguments to install",
  });
  assert.equal(parseProbeOutput("").kind, "failed");
});

test("the first interpreter that fits is taken, and none is started after it", async () => {
  const started: string[] = [];
  const answers: Record<string, ProbeAnswer> = {
    python3: answered("3.9.2", ""),
    python: answered("3.12.1", "0.1.0"),
    never: { kind: "absent" },
  };
  const choice = await chooseInterpreter(
    [source("path", ["python3", "python", "never"])],
    async (one) => {
      started.push(one.command);
      return answers[one.command] ?? { kind: "absent" };
    },
  );
  assert.equal(choice.chosen?.candidate.command, "python");
  assert.equal(choice.chosen?.server, "0.1.0");
  assert.deepEqual(started, ["python3", "python"]);
});

test("when no interpreter fits, every attempt is kept for the message", async () => {
  const choice = await chooseInterpreter([source("path", ["python3", "python"])], async () => ({
    kind: "absent",
  }));
  assert.equal(choice.chosen, undefined);
  assert.deepEqual(
    choice.attempts.map(({ verdict }) => verdict),
    ["absent", "absent"],
  );
});

test("an interpreter is asked for its server only where that may be taken", () => {
  const [flags, script] = [probeArguments(false).slice(0, -1), probeArguments(false).at(-1) ?? ""];
  assert.deepEqual(flags, ["-E", "-s", "-S", "-c"]);
  assert.doesNotMatch(script, /metadata/);
  assert.match(probeArguments(true).at(-1) ?? "", /version\("synapse-ls"\)/);
});
