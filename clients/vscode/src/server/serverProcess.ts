/**
 * This module starts the process of the server, before there is a client that speaks with it, and
 * ends it if it does not leave by itself.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { LogOutputChannel } from "vscode";
import type { ServerLaunch } from "./launchCommand";
import { environmentOutside } from "./programSearch";

/** Milliseconds that a server has to leave when it was told to. */
const PATIENCE = 2_000;

/** Runs in `cwd`, which is not to be a workspace. */
export function startServerProcess(
  { command, args }: ServerLaunch,
  cwd: string,
  log: LogOutputChannel,
): ChildProcess {
  const env = { ...process.env, ...environmentOutside() };
  const child = spawn(command, [...args, "serve"], { cwd, env });
  child.on("error", (error) => log.error(String(error)));
  child.on("exit", (code, signal) => {
    if (code === 0) {
      log.info("The server has left.");
    } else {
      log.error(`The server has left with ${code ?? signal}.`);
    }
  });
  return child;
}

/** Resolves to a process that a client can speak with; rejects where it could not be started or has left. */
export async function runningProcess(child: ChildProcess): Promise<ChildProcess> {
  if (child.pid === undefined || hasLeft(child)) {
    throw new Error(`The process could not be started: ${child.spawnargs.join(" ")}`);
  }
  return child;
}

/** Ends a process that was told to leave, or that nobody has spoken with, if it is still there after a while. */
export function endProcess(child: ChildProcess): void {
  child.stdin?.end();
  setTimeout(() => hasLeft(child) || child.kill(), PATIENCE).unref();
}

/** Whether a process that has gone silent was killed, and has not ended of itself. */
export async function wasKilled(child: ChildProcess): Promise<boolean> {
  if (child.pid !== undefined && !hasLeft(child)) {
    await Promise.race([once(child, "exit"), pause(PATIENCE, undefined, { ref: false })]);
  }
  return child.signalCode !== null;
}

function hasLeft({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
