import assert from "node:assert/strict";
import { test } from "node:test";
import type { Interpreter } from "../../src/server/interpreterSearch.ts";
import {
  isSameLaunch,
  type ServerLaunch,
  serverLaunch,
  waitForLaunch,
} from "../../src/server/launchCommand.ts";
import type { ServerState } from "../../src/server/serverState.ts";
import { serverFailure } from "../../src/server/serverState.ts";

const interpreter = (server: string, args: readonly string[] = []): Interpreter => ({
  origin: "path",
  candidate: { command: "python3", args },
  python: "3.12.1",
  server,
});

test("the server of the extension runs isolated from everything around it", () => {
  const launch = serverLaunch(interpreter("9.9.9", ["-3"]), "useBundled", "/ext/server", true);
  assert.deepEqual([launch.command, ...launch.args], ["python3", "-3", "-I", "/ext/server"]);
  assert.equal(launch.bundled, true);
});

test("the server of the environment never comes from the working directory", () => {
  const launch = serverLaunch(interpreter("0.1.0"), "fromEnvironment", "/ext/server", true);
  assert.deepEqual(launch.args, ["-P", "-m", "synapse_ls"]);
  assert.equal(launch.bundled, false);
});

test("an environment without a server that is new enough gets that of the extension", () => {
  for (const server of ["", "0.0.9"]) {
    const launch = serverLaunch(interpreter(server), "fromEnvironment", "/ext/server", true);
    assert.equal(launch.bundled, true);
  }
});

test("in a folder that is not trusted nothing of an environment is run", () => {
  const launch = serverLaunch(interpreter("0.1.0"), "fromEnvironment", "/ext/server", false);
  assert.equal(launch.bundled, true);
  assert.equal(launch.trusted, false);
});

test("another interpreter, another trust or an upgrade in place needs a restart", () => {
  const launch = serverLaunch(interpreter("0.1.0"), "fromEnvironment", "/ext/server", true);
  const { candidate } = interpreter("");
  const others = [
    serverLaunch(
      { ...interpreter("0.1.0"), python: "3.13.0" },
      "fromEnvironment",
      "/ext/server",
      true,
    ),
    serverLaunch(interpreter("0.2.0"), "fromEnvironment", "/ext/server", true),
    serverLaunch(interpreter("0.1.0"), "useBundled", "/ext/server", true),
    serverLaunch(interpreter("0.1.0"), "fromEnvironment", "/ext/server", false),
    serverLaunch(
      { ...interpreter("0.1.0"), candidate: { ...candidate, command: "/opt/python" } },
      "fromEnvironment",
      "/ext/server",
      true,
    ),
  ];
  assert.deepEqual(
    others.map((other) => isSameLaunch(launch, other)),
    others.map(() => false),
  );
});

test("the same interpreter from another source needs no restart", () => {
  const launch = serverLaunch(interpreter("0.1.0"), "useBundled", "/ext/server", true);
  const found = { ...interpreter("0.2.0"), origin: "python" } as const;
  assert.equal(isSameLaunch(launch, serverLaunch(found, "useBundled", "/ext/server", true)), true);
});

const LAUNCH = { command: "python3" } as ServerLaunch;
const STOPPED: ServerState = { kind: "stopped", failure: serverFailure("No.") };

/** A server that looks for its interpreter until it is told what came of it. */
class Server {
  launch: ServerLaunch | undefined;
  state: ServerState = { kind: "starting" };
  readonly listeners = new Set<(state: ServerState) => unknown>();

  onDidChangeState(listener: (state: ServerState) => unknown): { dispose(): boolean } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  become(state: ServerState, launch?: ServerLaunch): void {
    this.state = state;
    this.launch = launch;
    for (const listener of this.listeners) {
      listener(state);
    }
  }
}

test("a caller waits while the interpreter is searched", async () => {
  const server = new Server();
  const waiting = waitForLaunch(server);
  server.become({ kind: "starting" });
  server.become({ kind: "starting" }, LAUNCH);
  assert.equal(await waiting, LAUNCH);
  assert.equal(server.listeners.size, 0);
});

test("nobody waits where no interpreter fits", async () => {
  const server = new Server();
  const waiting = waitForLaunch(server);
  server.become(STOPPED);
  assert.equal(await waiting, undefined);
  assert.equal(await waitForLaunch(server), undefined);
});

test("a server whose command line is known is not waited for", async () => {
  const server = new Server();
  server.become({ kind: "starting" }, LAUNCH);
  assert.equal(await waitForLaunch(server), LAUNCH);
  assert.equal(server.listeners.size, 0);
});
