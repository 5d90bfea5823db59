/** A domain that gets another name, in the editor and by its file. */

import { existsSync } from "node:fs";
import path from "node:path";
import type { Locator } from "playwright-core";
import { waitUntil } from "../processes.ts";
import type { SuiteContext } from "../suite.ts";

const MANIFEST = ".synapse/manifest";

async function rename(input: Locator, name: string): Promise<void> {
  await input.fill(name);
  await input.press("Enter");
}

export async function checks({ check, read, window, workspace }: SuiteContext): Promise<void> {
  const { page } = window;
  const has = (file: string): boolean => existsSync(path.join(workspace, file));
  const line = read(MANIFEST).split("\n").indexOf("TESTING_STATE=active") + 1;

  await check("renaming a domain renames its keys and its file", async () => {
    await window.openFile(MANIFEST);
    await window.statusItem(/FRESH/).waitFor();
    await window.goTo(line, 3);
    await page.keyboard.press("F2");
    await rename(page.locator(".rename-box:visible input"), "PROOFS");
    await waitUntil(() => has(".synapse/proofs") && !has(".synapse/testing"));
    await waitUntil(() => read(MANIFEST).includes("PROOFS_STATE=active\nPROOFS_RECALL="));
    await waitUntil(() => /^PROOFS_RULE_/m.test(read(".synapse/proofs")));
    await window.line(/^PROOFS_STATE/).waitFor();
    await window.squiggles.first().waitFor({ state: "detached" });
  });

  await check("renaming the file renames the domain", async () => {
    const input = page.locator(".explorer-item-edited input");
    // The explorer draws its rows anew when it hears of the rename before: a click in between is lost, and
    // with it the key.
    await waitUntil(async () => {
      await window.row("proofs").click();
      await page.keyboard.press("F2");
      return input.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => page.keyboard.press("Escape").then(() => false),
      );
    });
    await rename(input, "trials");
    await page.getByRole("button", { name: "OK", exact: true }).click(); // the editor asks before it follows
    await waitUntil(() => has(".synapse/trials"));
    await window.line(/^TRIALS_RULE_0/).click();
    // One file after the other is edited, and only what is edited by then is saved.
    await waitUntil(async () => {
      await window.run("File: Save All Files");
      return (
        read(MANIFEST).includes("TRIALS_STATE=active\nTRIALS_RECALL=") &&
        /^TRIALS_RULE_/m.test(read(".synapse/trials")) &&
        read(".synapse/tests/prompts.toml").includes('no_domains = ["TRIALS"]')
      );
    });
  });

  await check("what was found in the file with the old name is taken back", async () => {
    await page.keyboard.press("Control+Shift+M");
    await page.getByText("No problems have been detected in the workspace.").waitFor();
  });
}
