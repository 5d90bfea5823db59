/**
 * This module builds the command line of the server (interpreter, bundled or installed server,
 * trust) and waits for it. Pure.
 */

import type { ServerState } from "../server/serverState";
import { type Interpreter, isOlderVersion } from "./interpreterSearch";

/** The server that is taken: the one inside the extension, or the one of the interpreter. */
export type ImportStrategy = "useBundled" | "fromEnvironment";

export const OLDEST_SERVER = "0.1.0";

export interface ServerLaunch {
  readonly command: string;
  /** Without the server's own: a sub-command of it is to be added. */
  readonly args: readonly string[];
  readonly bundled: boolean;
  /** Whether the folder is trusted: without that the server changes nothing. */
  readonly trusted: boolean;
  readonly interpreter: Interpreter;
}

/**
 * The command line for an interpreter. `bundle` is the folder with the server of the extension.
 *
 * It is run as `-I FOLDER`, which puts that folder first and leaves out PYTHONPATH, the user's
 * packages and the working directory, so nothing can stand in for its libraries. The server of an
 * environment needs all of these but the last. One that is missing or too old is replaced by ours.
 */
export function serverLaunch(
  interpreter: Interpreter,
  strategy: ImportStrategy,
  bundle: string,
  isTrusted: boolean,
): ServerLaunch {
  const { candidate, server } = interpreter;
  const isInstalled = server !== "" && !isOlderVersion(server, OLDEST_SERVER);
  const isBundled = strategy === "useBundled" || !isInstalled || !isTrusted;
  const serverArgs = isBundled ? ["-I", bundle] : ["-P", "-m", "synapse_ls"];
  return {
    command: candidate.command,
    args: [...candidate.args, ...serverArgs],
    bundled: isBundled,
    trusted: isTrusted,
    interpreter,
  };
}

/** Returns whether a restart would run the same server. */
export function isSameLaunch(launch: ServerLaunch, other: ServerLaunch): boolean {
  return launchFingerprint(launch) === launchFingerprint(other);
}

/** The versions count: an environment that was upgraded in place has a new server. */
function launchFingerprint({ command, args, bundled, trusted, interpreter }: ServerLaunch): string {
  const server = bundled ? "" : interpreter.server;
  return JSON.stringify([command, args, trusted, interpreter.python, server]);
}

/** The part of `Server` that is needed to wait. */
export interface LaunchSource {
  readonly launch: ServerLaunch | undefined;
  readonly state: ServerState;
  onDidChangeState(listener: (state: ServerState) => unknown): { dispose(): unknown };
}

/** Waits until the interpreter is found and returns the launch; undefined where none fits. */
export function waitForLaunch(server: LaunchSource): Promise<ServerLaunch | undefined> {
  const isDecided = (): boolean => server.launch !== undefined || server.state.kind !== "starting";
  if (isDecided()) {
    return Promise.resolve(server.launch);
  }
  return new Promise((resolve) => {
    const subscription = server.onDidChangeState(() => {
      if (isDecided()) {
        subscription.dispose();
        resolve(server.launch);
      }
    });
  });
}
