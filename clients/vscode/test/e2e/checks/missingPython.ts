/** A machine without any Python: what somebody is told who has just installed the extension. */

import assert from "node:assert/strict";
import type { SuiteContext } from "../suite.ts";

export const settings = { "synapse.interpreter": "" };
export const environment = { PATH: "/nowhere" };

export async function checks({
  check,
  picture,
  python,
  changeSettings,
  window,
}: SuiteContext): Promise<void> {
  await check("a machine without Python gets a message, once, with what to do", async () => {
    await window.toast.filter({ hasText: "there is no Python on the path" }).waitFor();
    for (const name of ["Choose Interpreter", "Get Python", "Show Server Log"]) {
      assert.equal(await window.toast.getByRole("button", { name }).count(), 1, name);
    }
    assert.equal(await window.toast.count(), 1);
    await picture("no-interpreter");
  });

  await check("naming an interpreter is enough", async () => {
    changeSettings({ "synapse.interpreter": python });
    await window.statusItem(/FRESH · 100% left/).waitFor();
  });
}
