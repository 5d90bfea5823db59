/** Runs a command of `synapse` with the interpreter and the server that are in use. */

import { execFile } from "node:child_process";
import type { Launch } from "./launch";

export interface Finished {
  readonly code: number;
  readonly output: string;
  /** Notes and errors. */
  readonly aside: string;
}

/** Milliseconds. */
const PATIENCE = 60_000;
/** Bytes of output. */
const MOST = 16 * 1024 * 1024;

/** Runs in `cwd`, which is not to be a workspace: folders are named in `args`. */
export function runCli(launch: Launch, cwd: string, args: readonly string[]): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      launch.command,
      [...launch.args, ...args, "--color", "never"],
      { cwd, timeout: PATIENCE, maxBuffer: MOST, windowsHide: true, encoding: "utf8" },
      (error, output, aside) => {
        if (error === null || typeof error.code === "number") {
          resolve({ code: Number(error?.code ?? 0), output, aside });
        } else {
          reject(error);
        }
      },
    );
    child.stdin?.end();
  });
}

/** What the command line said of its failure, as one line without the words that begin its lines. */
export function complaintOf({ aside, output }: Finished): string {
  const lines = (aside || output)
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^(error|remedy): /, ""));
  return lines.filter(Boolean).join(" ");
}
