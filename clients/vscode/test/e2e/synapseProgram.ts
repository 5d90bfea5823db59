/** The command line of the server, asked for what the window has to show. */

import { execFileSync } from "node:child_process";
import type { SuiteWorkspace } from "./suite.ts";

/** Runs `synapse` in the workspace and returns what it prints. */
export function runSynapse(
  { python, workspace }: Pick<SuiteWorkspace, "python" | "workspace">,
  ...args: readonly string[]
): string {
  const options = { cwd: workspace, encoding: "utf8", stdio: "pipe" } as const;
  return execFileSync(python, ["-m", "synapse_ls", ...args], options);
}

/** The tokens of the block of a prompt that says nothing, in a new session. */
export function blockTokens(place: Pick<SuiteWorkspace, "python" | "workspace">): number {
  return (JSON.parse(runSynapse(place, "status", "--format", "json")) as { tokens: number }).tokens;
}
