/** The hook's way into an agent: installed, examined, used, read again, and taken back. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import type { SuiteContext, SuiteWorkspace } from "../suite.ts";

const SHARED = ".claude/settings.json";
const LOCAL = ".claude/settings.local.json";
/** What the project has of its own, in a form of its own. */
const OWN = '{\n   "model": "opus"   \n}';

export async function prepare({ write }: SuiteWorkspace): Promise<undefined> {
  write(SHARED, OWN);
}

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, read, scratch, window, workspace } = context;
  const { page } = window;
  const has = (file: string): boolean => existsSync(path.join(workspace, file));
  const yes = (label: string) => window.toast.getByRole("button", { name: label });
  const write = page.getByRole("button", { name: "Write This" });
  const doctor = page.frameLocator("iframe.webview.ready").last().frameLocator("#active-frame");

  await check("the status says that no agent gets the block yet", async () => {
    await window.pointAt(window.statusItem(/FRESH/), "No agent gets it yet. Install Hook…");
    await page.mouse.move(500, 18);
  });

  await check("the view of injections says how to begin", async () => {
    await window.run("Synapse: Show Injection Log");
    await page.getByText("No agent calls the hook of Synapse LS").waitFor();
    await page.getByRole("button", { name: "Install Hook…" }).waitFor();
  });

  await check("the agent that is in use is proposed, and the change is shown first", async () => {
    await page.getByRole("button", { name: "Install Hook…" }).click();
    await window.offer(/Claude Code.*the project has \.claude/).waitFor();
    await page.keyboard.press("Enter");
    await window.answerPrompt("Everybody in this project");
    await window.tab("Settings of Agents").waitFor();
    await window.line("UserPromptSubmit").first().waitFor();
    await yes("Install Hook").waitFor();
    await picture("hook-change");
    await window.clearToasts();
    await write.waitFor(); // The question outlives its notification.
    assert.equal(read(SHARED), OWN);
  });

  await check("it is written when one agrees, and then called as agents do", async () => {
    await page.getByRole("button", { name: "Install Hook…" }).click();
    await window.offer(/Claude Code/).waitFor();
    await page.keyboard.press("Enter");
    await window.answerPrompt("Only me, in this project");
    await window.line("settings.local.json").first().waitFor();
    assert.equal(has(LOCAL), false);
    await window.clearToasts();
    await write.click();
    await window.statusItem("All is well: the hook answers Claude Code.").waitFor();
    assert.match(read(LOCAL), /dist\/server\/synapse_ls\/hook\.py/);
    assert.equal(read(SHARED), OWN);
  });

  await check("the doctor's page tells what the model would get", async () => {
    await window.run("Synapse: Doctor");
    await window.tab("Synapse Doctor").waitFor();
    await doctor.getByRole("heading", { name: "What Claude Code would get now" }).waitFor();
    await doctor.getByText("<synapse-rules>").waitFor();
    await window.toggleSideBar();
    await picture("doctor");
    await window.toggleSideBar();
  });

  await check("what the agent is told then can be read, byte for byte", async () => {
    const { command } = JSON.parse(read(LOCAL)).hooks.UserPromptSubmit[0].hooks[0];
    const event = { session_id: "s1", cwd: workspace, prompt: "hello" };
    const input = JSON.stringify({ ...event, hook_event_name: "UserPromptSubmit" });
    const env = { ...process.env, CLAUDE_PROJECT_DIR: workspace };
    const reply = execFileSync("sh", ["-c", command], { input, env, cwd: scratch });
    const block: string = JSON.parse(String(reply)).hookSpecificOutput.additionalContext;
    const row = window.row(/FRESH · claude/).first();
    await window.pressInRow(row, "Open What Was Sent");
    await window.line("<synapse-rules>").waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+C");
    assert.equal((await window.clipboard()).trimEnd(), block.trimEnd());
  });

  await check("with a hook the status has nothing to propose", async () => {
    await window.pointAt(window.statusItem(/FRESH/), "Next block");
    assert.equal(await window.hover.filter({ hasText: "Install Hook" }).count(), 0);
    await page.mouse.move(500, 18);
  });

  await check("the tree is trusted for hooks in one's own settings", async () => {
    await window.run("Synapse: Trust This Tree");
    await window.statusItem("serve this tree from now on").waitFor();
  });

  await check("taking it back leaves the settings as they were", async () => {
    await window.run("Synapse: Uninstall Hook");
    await yes("Uninstall Hook").waitFor();
    assert.equal(has(LOCAL), true);
    await yes("Uninstall Hook").click();
    await window.statusItem("No agent calls the hook any more").waitFor();
    assert.equal(has(LOCAL), false);
    assert.equal(read(SHARED), OWN);
  });
}
