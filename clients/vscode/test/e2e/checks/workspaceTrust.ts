/** A folder that is not trusted: what it names is not run, and nothing in it is changed. */

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { waitUntil } from "../processes.ts";
import type { SuiteContext, SuiteWorkspace } from "../suite.ts";

const MANIFEST = ".synapse/manifest";

export const settings = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
};

/** Tells that it was run, and is a Python otherwise. */
const witness = (scratch: string): string => path.join(scratch, "was-run");

/** The folder brings an interpreter along, as one that means harm would. */
export async function prepare({
  python,
  read,
  scratch,
  workspace,
  write,
}: SuiteWorkspace): Promise<undefined> {
  const own = path.join(workspace, "python");
  const script = `#!/bin/sh\ntouch '${witness(scratch)}'\nexec '${python}' "$@"\n`;
  writeFileSync(own, script, { mode: 0o755 });
  write(".vscode/settings.json", JSON.stringify({ "synapse.interpreter": own }));
  write(MANIFEST, `BROKEN\n${read(MANIFEST)}`);
}

export async function checks({
  check,
  scratch,
  serverProcess,
  window,
}: SuiteContext): Promise<void> {
  const { page } = window;

  await check("findings and status are there without trust", async () => {
    await window.statusItem("Restricted Mode").waitFor();
    await window.openFile(MANIFEST);
    await window.squiggles.first().waitFor();
    await window.statusItem(/FRESH/).waitFor();
  });

  await check("the interpreter that the folder names has not been run", async () => {
    assert(serverProcess() !== undefined);
    assert.equal(existsSync(witness(scratch)), false);
  });

  await check("a command that writes is not offered", async () => {
    await page.keyboard.press("F1");
    await page.keyboard.type("Synapse: ");
    await window.offer("Synapse: Doctor").waitFor();
    for (const command of ["Create Rule Tree", "New Domain", "New Rule"]) {
      assert.equal(await window.offer(command).count(), 0, command);
    }
    await page.keyboard.press("Escape");
  });

  await check("a hook is neither looked at nor changed, and the reason is shown", async () => {
    for (const command of ["Install Hook", "Doctor"]) {
      await window.run(`Synapse: ${command}`);
      await window.toast.filter({ hasText: "so no hook is looked at or changed" }).waitFor();
      await window.clearToasts();
    }
  });

  await check("trust brings the interpreter of the folder", async () => {
    await window.statusItem("Restricted Mode").click();
    await page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await window.statusItem("Restricted Mode").waitFor({ state: "detached" });
    await waitUntil(() => existsSync(witness(scratch)));
    await page.keyboard.press("Escape");
    await window.statusItem(/FRESH/).waitFor();
  });
}
