/** The language server's process, as the system sees it. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** The id of the server that runs inside `folder`, where the extension starts it. */
export function findServerProcess(folder: string): number | undefined {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.map(Number).find((id) => {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, "utf8");
      return command.endsWith("\0serve\0") && readlinkSync(`/proc/${id}/cwd`).startsWith(folder);
    } catch {
      return false; // It has ended, or is none of ours.
    }
  });
}

/** Milliseconds that a condition may take, on a machine that does much else, before the check that waits for it fails. */
export const TIMEOUT = 120_000;

/** Waits for something that nobody tells of. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  milliseconds = TIMEOUT,
): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > end) {
      throw new Error(`still not so after ${milliseconds} ms: ${condition}`);
    }
    await setTimeout(20);
  }
}
