/** This module starts an interpreter candidate and reads its version, and that of the server in it. */

import { execFile } from "node:child_process";
import {
  type InterpreterCandidate,
  type ProbeAnswer,
  parseProbeOutput,
  probeArguments,
} from "./interpreterSearch";
import { environmentOutside } from "./programSearch";

/** Milliseconds; a shim of a version manager takes a tenth of it on a busy machine. */
const TIMEOUT = 10_000;

/**
 * Runs in `cwd`, which must not be the workspace: Python looks for modules, and Windows for
 * programs, in the working directory first, and a workspace is not to be trusted with either.
 */
export function interpreterProbe(
  cwd: string,
  wantsServer: boolean,
): (candidate: InterpreterCandidate) => Promise<ProbeAnswer> {
  return ({ command, args }) =>
    new Promise((resolve) => {
      const env = { ...process.env, ...environmentOutside() };
      execFile(
        command,
        [...args, ...probeArguments(wantsServer)],
        { cwd, env, timeout: TIMEOUT, windowsHide: true, encoding: "utf8" },
        (error, stdout, stderr) => {
          if (error === null) {
            resolve(parseProbeOutput(stdout));
          } else if (error.code === "ENOENT") {
            resolve({ kind: "absent" });
          } else {
            resolve({ kind: "failed", detail: stderr.trim() || error.message });
          }
        },
      );
    });
}
