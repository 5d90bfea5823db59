/** Starts a candidate and asks for its versions. */

import { execFile } from "node:child_process";
import { type Answer, answerOf, type Candidate, PROBE } from "./interpreter";

/** Milliseconds; a shim of a version manager takes a tenth of it on a busy machine. */
const PATIENCE = 10_000;

/**
 * Runs in `cwd`, which must not be the workspace: Python looks for modules, and Windows for
 * programs, in the working directory first, and a workspace is not to be trusted with either.
 */
export function probeIn(cwd: string): (candidate: Candidate) => Promise<Answer> {
  return ({ command, args }) =>
    new Promise((resolve) => {
      execFile(
        command,
        [...args, "-c", PROBE],
        { cwd, timeout: PATIENCE, windowsHide: true, encoding: "utf8" },
        (error, stdout, stderr) => {
          if (error === null) {
            resolve(answerOf(stdout));
          } else if (error.code === "ENOENT") {
            resolve({ kind: "absent" });
          } else {
            resolve({ kind: "failed", detail: stderr.trim() || error.message });
          }
        },
      );
    });
}
