/** What is done with a tree as a whole: profiles, memories, hand-offs, reports. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { sendPrompt } from "../agentPrompt.ts";
import { waitUntil } from "../processes.ts";
import type { SuiteContext } from "../suite.ts";

const CONFIG = ".synapse/config.toml";

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, read, window, workspace } = context;
  const { page } = window;
  /** The page that was shown last, as the editor renders it. */
  const shown = page.frameLocator("iframe.webview.ready").last().frameLocator("#active-frame");
  const has = (file: string): boolean => existsSync(path.join(workspace, file));

  await check("the profiles are listed, and each says what it says", async () => {
    await window.statusItem(/FRESH/).waitFor();
    await window.run("Synapse: Choose Profile");
    const row = window.offer(/^carl/).first();
    await window.pressInRow(row, "What It Says");
    await window.tab("Profile carl").waitFor();
    await shown.getByRole("heading", { name: "Brackets" }).waitFor();
    await shown.getByRole("cell", { name: "CRITICAL" }).waitFor();
  });

  await check("a profile is compared with the one in force", async () => {
    await window.run("Synapse: Choose Profile");
    const row = window.offer(/^synapse(?!-)/).first();
    await window.pressInRow(row, "Compare with the One in Force");
    await window.tab("Differences").waitFor();
    await shown.getByRole("cell", { name: "brackets.FRESH.layers" }).waitFor();
    await picture("profiles");
  });

  await check("choosing a profile writes it, and the panel follows", async () => {
    await window.run("Synapse: Choose Profile");
    await window.answerPrompt("synapse");
    await window.statusItem("served with the profile synapse from now on").waitFor();
    await waitUntil(() => read(CONFIG).includes('profile = "synapse"'));
  });

  await check("something is remembered, and stands in the view by its worth", async () => {
    await window.run("View: Show Synapse");
    await window.unfold("Context", false);
    await window.unfold("Domains", false);
    await window.unfold("Memory");
    await page.getByText("Nothing is remembered yet").waitFor();
    await window.run("Synapse: Remember");
    await window.answerPrompt("Deploys wait for QA");
    await window.row(/^Hot/).waitFor();
    await window.row(/^Deploys wait for QA/).waitFor();
  });

  await check("memories are found by what they are about, and lead to their file", async () => {
    await window.run("Synapse: Search Memories");
    await page.getByPlaceholder("What is it about?").waitFor();
    await page.keyboard.type("deploy");
    await window.offer(/Deploys wait for QA/).waitFor();
    await picture("memories");
    await window.accept(window.offer(/Deploys wait for QA/));
    await window.tab(/^mem-/).waitFor();
    await window.statusItem(/Ln \d+, Col \d+/).waitFor(); // the file has taken the focus
  });

  await check("what is forgotten can come back", async () => {
    await window.chooseFromMenu(window.row(/^Deploys wait for QA/), "Forget");
    await window.row(/^Forgotten/).click();
    await window.chooseFromMenu(window.row(/^Deploys wait for QA/), "Restore");
    await window.row(/^Forgotten/).waitFor({ state: "detached" });
    await window.row(/^Hot/).waitFor();
    await window.unfold("Memory", false);
  });

  await check("an agent that is activated greets", async () => {
    sendPrompt(context, "s1", "go", 20_000);
    await window.statusItem("90% left").waitFor();
    await window.run("Synapse: Activate Agent");
    await window.answerPrompt("@dev");
    await window.tab("Greeting of Ines").waitFor();
    await shown.getByText("Recommended:").waitFor();
    await window.statusItem("@dev").waitFor();
    await window.clearToasts();
  });

  await check("whether a session should go on is said, with how another is begun", async () => {
    await window.run("Synapse: Should This Session Go On?");
    await window.tab("Session").waitFor();
    await shown.getByRole("heading", { name: "Go on in this session" }).waitFor();
    await shown.getByRole("heading", { name: "To begin anew in Claude Code" }).waitFor();
  });

  await check("a hand-off is shown before it is written", async () => {
    await window.run("Synapse: Write Hand-off");
    await window.tab("Hand-off").waitFor();
    await window.line("session_id: s1").waitFor();
    assert.equal(has(".synapse/continuation/latest.md"), false);
    await page.getByRole("button", { name: "Write This" }).click();
    await waitUntil(() => has(".synapse/continuation/latest.md"));
    await page.getByRole("tab", { name: /^latest\.md/ }).waitFor();
    await window.clearToasts();
  });

  await check("a report on everything names what is missing", async () => {
    await window.run("Synapse: Diagnose");
    await window.tab("Diagnosis").waitFor();
    await shown.getByRole("heading", { name: "What to do" }).waitFor();
    await shown.getByText("no client calls the hook").first().waitFor();
  });
}
