/** A memory of Brainiac, in a window without anything of `.synapse`. */

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SuiteContext, SuiteWorkspace, WindowTarget } from "../suite.ts";

const IDENTITY = "system/core_identity.md";
const SHORT_TERM = "memory/short_term.md";
const FILES = {
  [IDENTITY]: "# Who I am\n\nYou are Mira, who keeps the ferries running.\n",
  [SHORT_TERM]:
    "# Short-Term Memory\n\n## Summary\n\nThe ticket machines move to the new pier.\n\n## Structured Data\n\n### Tasks\n\n- [ ] Tell Ana\n",
  "memory/long_term/events/outage.md":
    "---\nuuid: a1\ntags: [lighthouse]\ncreated_at: 2026-01-02T10:00:00Z\n---\nThe lighthouse went dark in August.\n",
};

export async function prepare({ scratch }: SuiteWorkspace): Promise<WindowTarget> {
  const folder = path.join(scratch, "mira");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return { folder };
}

export async function checks({ check, picture, window }: SuiteContext): Promise<void> {
  const { page } = window;

  await check("a folder with a memory of Brainiac starts the extension", async () => {
    await window.openFile(IDENTITY);
    await window.goTo(3, 4);
    await window.showHover();
    await window.hover.filter({ hasText: "it says who the agent is" }).first().waitFor();
    await picture("brainiac-hover");
    await page.keyboard.press("Escape");
  });

  await check("a slip in the short-term memory is found", async () => {
    await window.openFile(SHORT_TERM);
    await window.goTo(3, 6);
    await page.keyboard.press("Delete");
    await window.squiggles.first().waitFor();
    await window.run("File: Revert File");
    await window.squiggles.first().waitFor({ state: "detached" });
  });

  await check("its text can be opened beside it", async () => {
    await window.run("Synapse: Preview Context");
    await window.tab("Context of mira").waitFor();
    await page.locator(".view-line", { hasText: "## Short-Term Memory" }).waitFor();
    await picture("brainiac-text");
  });
}
