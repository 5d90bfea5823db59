/** Several folders in one window, each with a tree of its own. */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SuiteContext, SuiteWorkspace, WindowTarget } from "../suite.ts";
import { blockTokens } from "../synapseProgram.ts";

const LIST = "all.code-workspace";
const RULES = "rules:\n  - id: bugs\n    text: Every bug gets a test\n";

/**
 * The second folder has another set of rules: no squad, no workflow, and a file that nothing names. The
 * third has a tree of Chati.dev.
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
  const folders = [workspace, other, path.join(scratch, "third")].map((folder) => ({
    path: folder,
  }));
  writeFileSync(path.join(scratch, LIST), JSON.stringify({ folders }));
  return { folder: path.join(scratch, LIST) };
}

export async function checks(context: SuiteContext): Promise<void> {
  const { check, scratch, window } = context;
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
    const { page } = window;
    await window.openFile("domains/global.yaml");
    await window.statusItem(/FRESH · 100% left · \d\d tokens/).waitFor();
    for (const command of ["Open Manifest", "New Domain", "Use the Profile synapse-live"]) {
      await window.searchPalette(`Synapse: ${command}`);
      assert.equal(await window.offer(command).count(), 0, command);
      await page.keyboard.press("Escape");
    }
  });

  await check("findings come from each folder", async () => {
    await window.page.keyboard.press("Control+Shift+M");
    await window.problem("SYN").first().waitFor();
  });
}
