/** What happens when the server or its interpreter is not as it should be. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { waitUntil } from "../processes.ts";
import type { SuiteContext } from "../suite.ts";

const WELL = /FRESH · 100% left/;

export async function checks(context: SuiteContext): Promise<void> {
  const { check, python, scratch, serverProcess, changeSettings, window } = context;
  /** Kills the server, and sees that another one serves the window without a word to the person. */
  const killServer = async (): Promise<void> => {
    const dead = serverProcess();
    assert(dead !== undefined);
    process.kill(dead, "SIGKILL");
    await waitUntil(() => ![undefined, dead].includes(serverProcess()));
    await window.statusItem(WELL).waitFor();
    assert.equal(await window.toast.count(), 0);
  };
  const restartServer = async (): Promise<void> => {
    const before = serverProcess();
    await window.run("Synapse: Restart Server");
    await waitUntil(() => ![undefined, before].includes(serverProcess()));
  };

  await check("the server can be restarted", async () => {
    await window.statusItem(WELL).waitFor();
    await restartServer();
    await window.statusItem(WELL).waitFor();
  });

  await check("a server that dies comes back by itself", killServer);

  await check("one that is killed while it starts comes back, too", async () => {
    await restartServer();
    await killServer();
  });

  await check("an interpreter that does not fit is reported with a remedy", async () => {
    changeSettings({ "synapse.interpreter": "/nowhere/python" });
    await window.toast.filter({ hasText: "/nowhere/python (not found)" }).waitFor();
    await window.toast.getByRole("button", { name: "Choose Interpreter" }).waitFor();
  });

  await check("naming one that fits is enough to go on", async () => {
    changeSettings({});
    await window.statusItem(WELL).waitFor();
    await window.clearToasts();
  });

  await check("a server that cannot start is told of once, with a remedy", async () => {
    const broken = path.join(scratch, "broken-python");
    const script = `#!/bin/sh\ncase "$*" in *serve*) exit 3 ;; esac\nexec '${python}' "$@"\n`;
    writeFileSync(broken, script, { mode: 0o755 });
    changeSettings({ "synapse.interpreter": broken });
    await window.toast.filter({ hasText: "could not be started" }).waitFor();
    assert.equal(await window.toast.count(), 1);
  });
}
