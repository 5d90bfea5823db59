import assert from "node:assert/strict";
import { test } from "node:test";
import type { Launch } from "../../src/launch.ts";
import { launched } from "../../src/launched.ts";
import { unexpected } from "../../src/remedy.ts";
import type { ServerState } from "../../src/status.ts";

const LAUNCH = { command: "python3" } as Launch;
const STOPPED: ServerState = { kind: "stopped", failure: unexpected("No.") };

/** A server that looks for its interpreter until it is told what came of it. */
class Server {
  launch: Launch | undefined;
  state: ServerState = { kind: "starting" };
  readonly listeners = new Set<(state: ServerState) => unknown>();

  onDidChangeState(listener: (state: ServerState) => unknown): { dispose(): boolean } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  become(state: ServerState, launch?: Launch): void {
    this.state = state;
    this.launch = launch;
    for (const listener of this.listeners) {
      listener(state);
    }
  }
}

test("what needs the server waits while that is looked for", async () => {
  const server = new Server();
  const waiting = launched(server);
  server.become({ kind: "starting" });
  server.become({ kind: "starting" }, LAUNCH);
  assert.equal(await waiting, LAUNCH);
  assert.equal(server.listeners.size, 0);
});

test("where no interpreter fits nobody waits", async () => {
  const server = new Server();
  const waiting = launched(server);
  server.become(STOPPED);
  assert.equal(await waiting, undefined);
  assert.equal(await launched(server), undefined);
});

test("a server whose command line is known is not waited for", async () => {
  const server = new Server();
  server.become({ kind: "starting" }, LAUNCH);
  assert.equal(await launched(server), LAUNCH);
  assert.equal(server.listeners.size, 0);
});
