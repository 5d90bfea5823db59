/** What one sees and does in a manifest. */

import assert from "node:assert/strict";
import type { SuiteContext } from "../suite.ts";

const MANIFEST = ".synapse/manifest";
const STATE = "TESTING_STATE=";

export async function checks(context: SuiteContext): Promise<void> {
  const { changeSettings, check, picture, read, window } = context;
  const { page } = window;
  const lines = read(MANIFEST).split("\n");
  const recall = lines.findIndex((line) => line.startsWith("TESTING_RECALL=")) + 1;

  await check("a manifest has our language", async () => {
    await window.openFile(MANIFEST);
    await window.statusItem("Synapse Rules").waitFor();
    await window.statusItem(/FRESH/).waitFor(); // from here on the server answers
  });

  await check("a hover shows its part of the block that the agent would get", async () => {
    await window.goTo(recall, 3);
    await window.showHover();
    await window.hover.filter({ hasText: "[KEYWORD MATCHES]" }).waitFor();
    await picture("hover");
    await page.keyboard.press("Escape");
  });

  await check("a sound manifest has no squiggle", async () => {
    assert.equal(await window.squiggles.count(), 0);
  });

  await check("a hint tells the share of a large domain, a lens nothing usual", async () => {
    await window.goTo(1, 1);
    await window.line(/CONSTITUTION_STATE=active.*19%.of.the.FRESH.budget/).waitFor();
    assert.equal(await window.lens(/./).count(), 0);
    assert.equal(await window.editor.locator(".detected-link").count(), 0);
    await picture("lenses");
    changeSettings({ "workbench.colorTheme": "Default Dark Modern" });
    await page.locator(".monaco-workbench.vs-dark").waitFor();
    await picture("first-dark");
    changeSettings({});
    await page.locator(".monaco-workbench.vs").waitFor();
  });

  await check("completion offers what a key can have", async () => {
    await window.goTo(recall - 1, STATE.length + 1);
    await page.keyboard.press("Shift+End");
    await page.keyboard.press("Delete");
    await window.showSuggestions("inactive");
    await picture("completion");
    await page.keyboard.press("Escape");
    await page.keyboard.type("active");
  });

  await check("a code action mends a line", async () => {
    await window.goTo(recall - 1, STATE.length + 1);
    await page.keyboard.press("Backspace");
    await page.keyboard.type(":");
    await window.squiggles.first().waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.locator('.lightBulbWidget:visible, [class*="gutter-lightbulb"]').first().waitFor();
    await window.showActions("Write");
    await picture("actions");
    await page.keyboard.press("Enter");
    await window.squiggles.first().waitFor({ state: "detached" });
    await window.line(/^TESTING_STATE=active/).waitFor();
  });

  await check("a finding and what is injected are seen beside each other", async () => {
    const end = "TESTING_EXCLUDE=".length + 1;
    await window.goTo(recall + 1, end);
    await page.keyboard.press("Backspace");
    await page.keyboard.type(" ");
    await window.squiggles.first().waitFor();
    await window.goTo(recall, 3);
    await window.showHover();
    await window.hover.filter({ hasText: "[KEYWORD MATCHES]" }).waitFor();
    await picture("front");
    await page.keyboard.press("Escape");
    await window.goTo(recall + 1, end);
    await page.keyboard.press("Backspace");
    await page.keyboard.type("=");
    await window.squiggles.first().waitFor({ state: "detached" });
  });

  await check("a broken line gets a squiggle", async () => {
    await window.goTo(recall - 1, STATE.length + 1);
    await page.keyboard.press("Backspace");
    await page.keyboard.type(" ");
    await window.squiggles.first().waitFor();
  });

  await check("the finding is a row of the Problems panel", async () => {
    await page.keyboard.press("Control+Shift+M");
    await window.problem("SYN103").waitFor();
    await picture("problems");
    await page.keyboard.press("Control+Shift+M");
  });

  await check("mending the line takes squiggle and row away", async () => {
    await window.goTo(recall - 1, STATE.length + 1);
    await page.keyboard.press("Backspace");
    await page.keyboard.type("=");
    await window.squiggles.first().waitFor({ state: "detached" });
    await page.keyboard.press("Control+S");
  });

  await check("a shortcut makes a comment of a line, and a line of the comment", async () => {
    await window.goTo(recall - 1, 1);
    await page.keyboard.press("Control+/");
    await window.line(/^#.TESTING_STATE=active/).waitFor();
    await page.keyboard.press("Control+/");
    await window.line(/^TESTING_STATE=active/).waitFor();
  });

  await check("a snippet writes a domain, whose name is typed once", async () => {
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\ndomain");
    await window.suggestions.filter({ hasText: "Domain by keywords" }).click();
    await page.keyboard.type("BILLING", { delay: 200 }); // slowly, so that suggestions can come
    await page.keyboard.press("Tab");
    await page.keyboard.type("invoice", { delay: 200 });
    await window.line(/^BILLING_STATE=active/).waitFor();
    await window.line(/^BILLING_RECALL=invoice/).waitFor();
    await window.run("File: Revert File");
  });

  await check("a rule file gets our language, a configuration file keeps its own", async () => {
    await window.openFile(".synapse/money");
    await window.statusItem("Synapse Rules").waitFor();
    await window.openFile(".synapse/config.toml");
    await window.statusItem("Synapse Rules").waitFor({ state: "detached" });
  });

  await check("the text of a rule is written in peace: nothing is suggested unasked", async () => {
    await window.openFile(".synapse/money");
    await window.goTo(4, 1);
    await page.keyboard.press("End");
    await page.keyboard.type(", says an agent", { delay: 50 });
    await window.line(/says.an.agent/).waitFor();
    assert.equal(await window.suggestions.count(), 0);
    await window.run("File: Revert File");
  });
}
