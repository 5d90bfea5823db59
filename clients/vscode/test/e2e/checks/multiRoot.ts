/** Several folders in one window, each with a tree of its own. */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SuiteContext, SuiteWorkspace, WindowTarget } from "../suite.ts";
import { blockTokens } from "../synapseProgram.ts";

const LIST = "all.code-workspace";
const RULES = "rules:\n  - id: bugs\n    text: Every bug gets a test\n";
const IDENTITY = "system/core_identity.md";
const SHORT_TERM = "memory/short_term.md";
const BRAINIAC = {
  [IDENTITY]: "# Who I am\n\nYou are Mira, who keeps the ferries running.\n",
  [SHORT_TERM]:
    "# Short-Term Memory\n\n## Summary\n\nThe ticket machines move to the new pier.\n\n## Structured Data\n\n### Tasks\n\n- [ ] Tell Ana\n",
  "memory/long_term/events/outage.md":
    "---\nuuid: a1\ntags: [lighthouse]\ncreated_at: 2026-01-02T10:00:00Z\n---\nThe lighthouse went dark in August.\n",
};

/**
 * The second folder has another set of rules: no squad, no workflow, and a file that nothing names. The
 * third has a tree of Chati.dev, the fourth a memory of Brainiac.
 */
export async function prepare({ scratch, workspace }: SuiteWorkspace): Promise<WindowTarget> {
  const other = path.join(scratch, "other");
  cpSync(workspace, other, { recursive: true });
  for (const folder of [".aiox", "squads"]) {
    rmSync(path.join(other, folder), { recursive: true });
  }
  writeFileSync(path.join(other, ".synapse", "curfew"), "CURFEW_RULE_1=Nobody deploys at night\n");
  const chati = path.join(scratch, "third", "chati.dev", "domains");
  mkdirSync(chati, { recursive: true });
  writeFileSync(path.join(chati, "global.yaml"), RULES);
  const mira = path.join(scratch, "mira");
  for (const [name, text] of Object.entries(BRAINIAC)) {
    mkdirSync(path.dirname(path.join(mira, name)), { recursive: true });
    writeFileSync(path.join(mira, name), text);
  }
  const folders = [workspace, other, path.join(scratch, "third"), mira].map((folder) => ({
    path: folder,
  }));
  writeFileSync(path.join(scratch, LIST), JSON.stringify({ folders }));
  return { folder: path.join(scratch, LIST) };
}

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, scratch, window } = context;
  const { page } = window;
  /** The status item, with the size of the block of the tree in `folder`. */
  const size = (folder: string) =>
    window.statusItem(`${blockTokens({ ...context, workspace: folder })} tokens`);

  await check("the status is that of the folder one works in", async () => {
    await window.openFile("card-data-squad/squad.yaml");
    await size(context.workspace).waitFor();
    await window.openFile(".synapse/curfew");
    await size(path.join(scratch, "other")).waitFor();
  });

  await check("a tree that has no manifest is offered nothing that needs one", async () => {
    await window.openFile("domains/global.yaml");
    await window.statusItem(/FRESH · 100% left · \d\d tokens/).waitFor();
    for (const command of ["Open Manifest", "New Domain", "Use the Profile synapse-live"]) {
      await window.searchPalette(`Synapse: ${command}`);
      assert.equal(await window.offer(command).count(), 0, command);
      await page.keyboard.press("Escape");
    }
  });

  await check("findings come from each folder", async () => {
    await page.keyboard.press("Control+Shift+M");
    await window.problem("SYN").first().waitFor();
    await page.keyboard.press("Control+Shift+M");
  });

  await check("a memory of Brainiac says who the agent is", async () => {
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
