/** Several folders in one window, each with a tree of its own. */

import { cpSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Context, Place, Target } from "../suite.ts";

const LIST = "both.code-workspace";

/** The second folder has another set of rules: no squad, no workflow, and a file that nothing names. */
export async function prepare({ scratch, workspace }: Place): Promise<Target> {
  const other = path.join(scratch, "other");
  cpSync(workspace, other, { recursive: true });
  for (const folder of [".aiox", "squads"]) {
    rmSync(path.join(other, folder), { recursive: true });
  }
  writeFileSync(path.join(other, ".synapse", "curfew"), "CURFEW_RULE_1=Nobody deploys at night\n");
  const folders = [{ path: workspace }, { path: other }];
  writeFileSync(path.join(scratch, LIST), JSON.stringify({ folders }));
  return { folder: path.join(scratch, LIST) };
}

export async function checks({ check, window }: Context): Promise<void> {
  const tokens = (number: number) => window.statusItem(`${number} tokens`);

  await check("the status is that of the folder one works in", async () => {
    await window.openFile("card-data-squad/squad.yaml");
    await tokens(730).waitFor();
    await window.openFile(".synapse/curfew");
    await tokens(355).waitFor();
  });

  await check("findings come from each folder", async () => {
    await window.page.keyboard.press("Control+Shift+M");
    await window.problem("SYN").first().waitFor();
  });
}
