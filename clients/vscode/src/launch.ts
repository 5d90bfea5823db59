/** What is started: which server, by which interpreter, and whether it may write. Pure. */

import { type Interpreter, isOlder } from "./interpreter";

/** The server that is taken: the one inside the extension, or the one of the interpreter. */
export type ImportStrategy = "useBundled" | "fromEnvironment";

export const OLDEST_SERVER = "0.1.0";

export interface Launch {
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
export function launchOf(
  interpreter: Interpreter,
  strategy: ImportStrategy,
  bundle: string,
  trusted: boolean,
): Launch {
  const { candidate, server } = interpreter;
  const installed = server !== "" && !isOlder(server, OLDEST_SERVER);
  const bundled = strategy === "useBundled" || !installed || !trusted;
  const own = bundled ? ["-I", bundle] : ["-P", "-m", "synapse_ls"];
  return {
    command: candidate.command,
    args: [...candidate.args, ...own],
    bundled,
    trusted,
    interpreter,
  };
}

/** Whether a running server would be no other after a restart. */
export function isSame(one: Launch, other: Launch): boolean {
  return fingerprint(one) === fingerprint(other);
}

/** The versions count: an environment that was upgraded in place has a new server. */
function fingerprint({ command, args, bundled, trusted, interpreter }: Launch): string {
  const server = bundled ? "" : interpreter.server;
  return JSON.stringify([command, args, trusted, interpreter.python, server]);
}
