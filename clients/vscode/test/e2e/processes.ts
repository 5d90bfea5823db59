/** The language server's process, as the system sees it. */

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** The id of the language server with this variable, which all that VS Code starts gets from it. */
export function findServerProcess(name: string, value: string): number | undefined {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.map(Number).find((id) => {
    try {
      const read = (file: string): string => readFileSync(`/proc/${id}/${file}`, "utf8");
      const isServer = read("cmdline").endsWith("\0serve\0");
      return isServer && read("environ").split("\0").includes(`${name}=${value}`);
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
