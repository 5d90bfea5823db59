/** Who is at work on what, and what a window remembers of it. */

import assert from "node:assert/strict";
import { sendPrompt } from "../agentPrompt.ts";
import { waitUntil } from "../processes.ts";
import type { SuiteContext } from "../suite.ts";

const CONFIG = ".synapse/config.toml";

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, read, window, write } = context;
  const { page, panel } = window;
  const choose = async (task: string): Promise<void> => {
    await window.run("Synapse: Set Task");
    await window.answerPrompt(task);
  };
  write(CONFIG, read(CONFIG).replace(/^profile = .*$/m, 'profile = "synapse"'));
  await window.statusItem(/FRESH/).waitFor();

  await check("the profile in which no layer is inactive is chosen by a command", async () => {
    await window.run("Synapse: Use the Profile synapse-live");
    await window.tab("config.toml").waitFor();
    await waitUntil(() => read(CONFIG).includes('profile = "synapse-live"'));
  });

  await check("a command that has nothing to do is not offered any more", async () => {
    await window.searchPalette("Synapse: Use the Profile");
    await page.keyboard.press("Escape");
  });

  await check("a task is set for the session, and taken back", async () => {
    sendPrompt(context, "s1", "go", 100_000);
    await window.statusItem("MODERATE · 50% left").waitFor();
    await choose("reconcile-day");
    await window.pointAt(window.statusItem("MODERATE"), "Task: reconcile-day");
    await page.mouse.move(500, 18);
    await choose("No task");
    await window.pointAt(window.statusItem("MODERATE"), "Next block");
    assert.equal(await window.hover.filter({ hasText: "reconcile-day" }).count(), 0);
    await page.mouse.move(500, 18);
  });

  await check(
    "the guard says what an agent may run, while one types, and who may instead",
    async () => {
      await window.run("Synapse: May the Agent Run");
      await page.getByPlaceholder("A command line, such as").waitFor();
      await page.keyboard.type("git push");
      await window.offer("An agent is warned, and may run it").waitFor();
      await page.getByRole("button", { name: "For Another Agent…" }).click();
      await page.getByPlaceholder("Whose boundaries count?").waitFor();
      await window.answerPrompt("@dev");
      await window.offer("@dev is warned, and may run it").waitFor();
      await window.offer(/the guard stops it/).waitFor();
      await page.keyboard.press("End");
      await page.keyboard.type(" --force");
      await window.offer(/git push --force/).waitFor();
      await page.mouse.move(300, 644);
      await picture("may-run");
      await window.offer("Have @devops do it").click();
      await window.offer("@devops may run it").waitFor();
      await window.offer("AGENT_DEVOPS_AUTH_0").click();
      await window.tab("agent-devops").waitFor();
      await window.statusItem(/Ln 3,/).waitFor();
    },
  );

  await check("a squad is activated in its row, and let go", async () => {
    await window.run("View: Show Synapse");
    await window.unfold("Context", false);
    await window.unfold("Domains", false);
    await window.unfold("Squads");
    const row = window.row(/settlement-squad/);
    await window.pressInRow(row, "Activate Squad");
    await window.row(/settlement-squad.*active/).waitFor();
    await window.pressInRow(row, "Deactivate Squad");
    await window.row(/settlement-squad.*active/).waitFor({ state: "detached" });
    await window.unfold("Squads", false);
  });

  await check("a session that is pinned is followed when another goes on", async () => {
    await window.unfold("Sessions");
    const row = window.row(/50% left/);
    await window.pressInRow(row, "Pin Session");
    await window.row(/pinned.*50% left/).waitFor();
    sendPrompt(context, "s2", "hello", 20_000);
    await window.row(/90% left/).waitFor();
    await window.statusItem("MODERATE · 50% left").waitFor();
  });

  await check("the block is copied", async () => {
    await window.unfold("Context");
    await panel.getByRole("heading", { name: "MODERATE" }).waitFor();
    await window.run("Synapse: Copy Block");
    await window.statusItem("The block is in the clipboard").waitFor();
    assert.match(await window.clipboard(), /^<synapse-rules>[\s\S]*<\/synapse-rules>$/);
  });

  await check(
    "a window that is loaded anew is as it was: what is tried out, and the pin",
    async () => {
      await panel.getByRole("textbox", { name: "Prompt" }).fill("Add a unit test");
      await panel.getByText("Activates TESTING.").waitFor();
      await panel.getByRole("tab", { name: "Full block" }).click();
      await panel.locator("pre").waitFor();
      await window.reload();
      // The extensions and the server start anew, while the old ones are ending.
      await window.statusItem("MODERATE · 50% left").waitFor();
      await panel.getByText("Activates TESTING.").waitFor();
      assert.equal(
        await panel.getByRole("tab", { name: "Full block" }).getAttribute("aria-selected"),
        "true",
      );
      await window.row(/pinned.*50% left/).waitFor();
    },
  );

  await check("without the pin the newest session is followed", async () => {
    const row = window.row(/pinned.*50% left/);
    await window.pressInRow(row, "Unpin");
    await window.statusItem("FRESH · 90% left").waitFor();
  });
}
