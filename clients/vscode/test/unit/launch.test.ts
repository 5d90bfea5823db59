import assert from "node:assert/strict";
import { test } from "node:test";
import type { Interpreter } from "../../src/interpreter.ts";
import { isSame, launchOf } from "../../src/launch.ts";

const interpreter = (server: string, args: readonly string[] = []): Interpreter => ({
  origin: "path",
  candidate: { command: "python3", args },
  python: "3.12.1",
  server,
});

test("the server of the extension runs isolated from everything around it", () => {
  const launch = launchOf(interpreter("9.9.9", ["-3"]), "useBundled", "/ext/server", true);
  assert.deepEqual([launch.command, ...launch.args], ["python3", "-3", "-I", "/ext/server"]);
  assert.equal(launch.bundled, true);
});

test("the server of the environment never comes from the working directory", () => {
  const launch = launchOf(interpreter("0.1.0"), "fromEnvironment", "/ext/server", true);
  assert.deepEqual(launch.args, ["-P", "-m", "synapse_ls"]);
  assert.equal(launch.bundled, false);
});

test("an environment without a server that is new enough gets that of the extension", () => {
  for (const server of ["", "0.0.9"]) {
    const launch = launchOf(interpreter(server), "fromEnvironment", "/ext/server", true);
    assert.equal(launch.bundled, true);
  }
});

test("in a folder that is not trusted nothing of an environment is run", () => {
  const launch = launchOf(interpreter("0.1.0"), "fromEnvironment", "/ext/server", false);
  assert.equal(launch.bundled, true);
  assert.equal(launch.trusted, false);
});

test("another interpreter, another trust or an upgrade in place need another start", () => {
  const launch = launchOf(interpreter("0.1.0"), "fromEnvironment", "/ext/server", true);
  const { candidate } = interpreter("");
  const others = [
    launchOf({ ...interpreter("0.1.0"), python: "3.13.0" }, "fromEnvironment", "/ext/server", true),
    launchOf(interpreter("0.2.0"), "fromEnvironment", "/ext/server", true),
    launchOf(interpreter("0.1.0"), "useBundled", "/ext/server", true),
    launchOf(interpreter("0.1.0"), "fromEnvironment", "/ext/server", false),
    launchOf(
      { ...interpreter("0.1.0"), candidate: { ...candidate, command: "/opt/python" } },
      "fromEnvironment",
      "/ext/server",
      true,
    ),
  ];
  assert.deepEqual(
    others.map((other) => isSame(launch, other)),
    others.map(() => false),
  );
});

test("the same interpreter found elsewhere is no reason for another start", () => {
  const launch = launchOf(interpreter("0.1.0"), "useBundled", "/ext/server", true);
  const found = { ...interpreter("0.2.0"), origin: "python" } as const;
  assert.equal(isSame(launch, launchOf(found, "useBundled", "/ext/server", true)), true);
});
