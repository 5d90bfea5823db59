/** This module runs a `synapse` sub-command as a process and reads its output. */

import { execFile } from "node:child_process";
import type { ServerLaunch } from "../server/launchCommand";
import { environmentOutside } from "../server/programSearch";

export interface CliResult {
  readonly code: number;
  readonly output: string;
  /** Notes and errors. */
  readonly errorOutput: string;
}

/** Milliseconds. */
const TIMEOUT = 60_000;
/** Bytes of output. */
const MAX_OUTPUT = 16 * 1024 * 1024;

/** Returns the words of a command line with more options: before `--`, behind which none is. */
export function addOptions(
  args: readonly string[],
  ...options: readonly string[]
): readonly string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return [...args.slice(0, end), ...options, ...args.slice(end)];
}

/**
 * Runs in `cwd`, which is not to be a workspace: folders are named in `args`. It finds no program in
 * any that is open.
 */
export function runCli(
  launch: ServerLaunch,
  cwd: string,
  args: readonly string[],
): Promise<CliResult> {
  const env = { ...process.env, ...environmentOutside() };
  return new Promise((resolve, reject) => {
    const child = execFile(
      launch.command,
      [...launch.args, ...addOptions(args, "--color", "never")],
      { cwd, env, timeout: TIMEOUT, maxBuffer: MAX_OUTPUT, windowsHide: true, encoding: "utf8" },
      (error, output, errorOutput) => {
        if (error === null || typeof error.code === "number") {
          resolve({ code: Number(error?.code ?? 0), output, errorOutput });
        } else {
          reject(error);
        }
      },
    );
    child.stdin?.end();
  });
}

/** Returns the error output as one line, without the labels of its lines. */
export function failureMessage({ errorOutput, output }: CliResult): string {
  const lines = (errorOutput || output)
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^(error|remedy): /, ""));
  return lines.filter(Boolean).join(" ");
}
