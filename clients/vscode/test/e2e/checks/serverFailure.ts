/** What happens when the server or its interpreter is not as it should be. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { waitUntil } from "../processes.ts";
import type { SuiteContext } from "../suite.ts";

const WELL = /FRESH · 100% left/;

/** A machine without any Python but that of the setting. */
export const environment = { PATH: "/nowhere" };

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, python, scratch, serverProcess, changeSettings, window } = context;
  /** Kills the server, and sees that another one serves the window without a word to the person. */
  const killServer = async (): Promise<void> => {
    const dead = serverProcess();
    assert(dead !== undefined);
    process.kill(dead, "SIGKILL");
    await waitUntil(() => ![undefined, dead].includes(serverProcess()));
    await window.statusItem(WELL).waitFor();
    assert.equal(await window.toast.count(), 0);
  };
  const mend = async (): Promise<void> => {
    changeSettings({});
    await window.statusItem(WELL).waitFor();
    await window.clearToasts();
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

  await check("naming one that fits is enough to go on", mend);

  await check("a machine without Python gets a message, once, with what to do", async () => {
    changeSettings({ "synapse.interpreter": "" });
    await window.toast.filter({ hasText: "there is no Python on the path" }).waitFor();
    for (const name of ["Choose Interpreter", "Get Python", "Show Server Log"]) {
      assert.equal(await window.toast.getByRole("button", { name }).count(), 1, name);
    }
    assert.equal(await window.toast.count(), 1);
    await picture("no-interpreter");
  });

  await check("and so it is where there was none", mend);

  await check("a server that cannot start is told of once, with a remedy", async () => {
    const broken = path.join(scratch, "broken-python");
    const script = `#!/bin/sh\ncase "$*" in *serve*) exit 3 ;; esac\nexec '${python}' "$@"\n`;
    writeFileSync(broken, script, { mode: 0o755 });
    changeSettings({ "synapse.interpreter": broken });
    await window.toast.filter({ hasText: "could not be started" }).waitFor();
    assert.equal(await window.toast.count(), 1);
  });
}
