/** From a tree of CARL to one of our own, and back, and to its end. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { waitUntil } from "../processes.ts";
import type { SuiteContext, SuiteWorkspace, WindowTarget } from "../suite.ts";

const FILES: { readonly [path: string]: string } = {
  ".carl/manifest": [
    "DEVMODE=false",
    "GLOBAL_STATE=active",
    "GLOBAL_ALWAYS_ON=true",
    "QUALITY_STATE=active",
    "QUALITY_ALWAYS_ON=false",
    "QUALITY_RECALL=unit test,coverage",
    "",
  ].join("\n"),
  ".carl/global": "GLOBAL_RULE_0=Be brief\n",
  ".carl/quality": "QUALITY_RULE_0=Every bug gets a test\n",
};

const folderIn = (scratch: string): string => path.join(scratch, "old");

export async function prepare({ scratch }: SuiteWorkspace): Promise<WindowTarget> {
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(folderIn(scratch), file)), { recursive: true });
    writeFileSync(path.join(folderIn(scratch), file), text);
  }
  return { folder: folderIn(scratch) };
}

export async function checks({ check, picture, scratch, window }: SuiteContext): Promise<void> {
  const { page } = window;
  const at = (file: string): string => path.join(folderIn(scratch), file);

  await check("a tree of CARL is served as it is", async () => {
    await window.statusItem(/FRESH/).waitFor();
    await window.run("Synapse: Open Manifest");
    await window.tab("manifest").waitFor();
  });

  await check("what a migration would write is shown first, and what agents notice", async () => {
    await window.run("Synapse: Migrate CARL Tree");
    await window.tab("Migration").waitFor();
    await page.locator(".modified .view-line", { hasText: "matching = " }).first().waitFor();
    await page.locator(".view-line", { hasText: "agents get the same rules" }).first().waitFor();
    await picture("migration");
    assert.equal(existsSync(at(".synapse/manifest")), false);
  });

  await check("it is written when one agrees", async () => {
    await page.getByRole("button", { name: "Write This" }).click();
    await waitUntil(() => existsSync(at(".synapse/manifest")));
    await window.toast.filter({ hasText: "The rules are in .synapse now" }).waitFor();
    assert.equal(await window.toast.count(), 1); // The question went with its answer.
    assert.match(readFileSync(at(".synapse/quality"), "utf8"), /Every bug gets a test/);
    await window.clearToasts();
  });

  await check("and taken back to the byte", async () => {
    await window.run("Synapse: Roll Back Migration");
    await page.getByRole("button", { name: "Roll Back", exact: true }).click();
    await waitUntil(() => !existsSync(at(".synapse")));
    for (const [file, text] of Object.entries(FILES)) {
      assert.equal(readFileSync(at(file), "utf8"), text);
    }
    await window.statusItem(/FRESH/).waitFor();
  });

  await check("one that has proved itself is finished: the old tree goes", async () => {
    await window.run("Synapse: Migrate CARL Tree");
    await page.getByRole("button", { name: "Write This" }).click();
    await waitUntil(() => existsSync(at(".synapse/manifest")));
    await window.clearToasts();
    await window.run("Synapse: Finish Migration");
    const dialog = page.getByRole("dialog");
    await dialog.filter({ hasText: "Remove the CARL tree" }).waitFor();
    assert.equal(existsSync(at(".carl/quality")), true);
    await dialog.getByRole("button", { name: "Finish", exact: true }).click();
    await window.statusItem("The migration is finished.").waitFor();
    assert.equal(existsSync(at(".carl")), false);
    assert.match(readFileSync(at(".synapse/quality"), "utf8"), /Every bug gets a test/);
    await window.statusItem(/FRESH/).waitFor();
  });
}
