/** From nothing: a folder without a tree, and a Python without a single package. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator } from "playwright-core";
import { waitUntil } from "../processes.ts";
import type { SuiteContext, SuiteWorkspace, WindowTarget } from "../suite.ts";

/** Milliseconds that the extension itself may take to be there on a busy machine; the server takes longer. */
const ACTIVATION = 1_000;
/** Pixels, as where two windows stand beside each other. */
const NARROW = 620;
/** Pixels, so that a step of the walkthrough can be seen with all that it offers. */
const TALL = 820;
/** Pixels, so that a list has all of its rows; those that cannot be seen are not there. */
const ENDLESS = 3_000;
/** Extensions of the editor that come by themselves, the last ones; then a new window is at rest. */
const LAST_OF_THE_EDITOR = ["Emmet", "GitHub Authentication", "Merge Conflict", "NPM support"];
const CLAUDE = "# Testing\n\n- Every bug gets a test that fails without its fix\n";

const folderIn = (scratch: string): string => path.join(scratch, "new");
const bareIn = (scratch: string): string => path.join(scratch, "bare", "bin", "python");

export async function prepare({ python, scratch }: SuiteWorkspace): Promise<WindowTarget> {
  mkdirSync(folderIn(scratch));
  writeFileSync(path.join(folderIn(scratch), "CLAUDE.md"), CLAUDE);
  execFileSync(python, ["-m", "venv", "--without-pip", path.join(scratch, "bare")]);
  const installed = [bareIn(scratch), ["-c", "import pygls"], { stdio: "ignore" }] as const;
  assert.throws(() => execFileSync(...installed));
  return { folder: folderIn(scratch) };
}

export async function checks(context: SuiteContext): Promise<void> {
  const { check, addFigure, picture, scratch, serverProcess, changeSettings, window } = context;
  const { page } = window;
  const extension = (name: string): Locator =>
    page.locator(".runtime-extensions-editor .extension", { hasText: name }).first();
  const manifest = path.join(folderIn(scratch), ".synapse", "manifest");
  const claude = path.join(folderIn(scratch), "CLAUDE.md");
  const configuration = (): string =>
    readFileSync(path.join(folderIn(scratch), ".synapse", "config.toml"), "utf8");
  const bare = { "synapse.interpreter": bareIn(scratch) };
  changeSettings(bare);

  await check("a folder without a tree is left in peace", async () => {
    // VS Code counts what it loads in the same moment to the time of each extension.
    await window.resize(ENDLESS);
    await window.run("Developer: Show Running Extensions");
    await Promise.all(LAST_OF_THE_EDITOR.map((name) => extension(name).waitFor()));
    assert.equal(await extension("Synapse").count(), 0);
    await page.keyboard.press("Escape");
    await page.locator(".runtime-extensions-editor").waitFor({ state: "detached" });
    await window.resize();
    await page.locator(".activitybar .action-label[aria-label='Synapse']").click();
    await window.panel.getByRole("button", { name: "Create One" }).waitFor();
    await window.panel.getByRole("button", { name: "Start from CLAUDE.md" }).waitFor();
    assert.equal(await window.toast.count(), 0);
    assert.equal(await page.locator(".notification-list-item").count(), 0);
    assert.equal(await window.statusItem(/FRESH|Synapse/).count(), 0);
    await page.keyboard.press("Control+Shift+E");
  });

  await check("the walkthrough begins with a rule tree for the folder", async () => {
    await window.resize(TALL);
    await window.run("Welcome: Open Walkthrough");
    await window.pick("Get Started with Synapse");
    await page.locator(".step-title", { hasText: "A rule tree for your project" }).click();
    await page.getByRole("button", { name: "Create Rule Tree" }).waitFor();
    await window.toggleSideBar();
    const media = page.frameLocator(".getting-started-media iframe").frameLocator("iframe");
    await media.locator("svg").waitFor();
    await picture("walkthrough");
    await window.resize();
    await window.toggleSideBar();
  });

  await check("what CLAUDE.md would become is shown first, and then written", async () => {
    await page.getByRole("button", { name: "Start from What Is There" }).click();
    await window.tab("Proposed Rule Tree").waitFor();
    await window.line("The tree refers to these files").first().waitFor();
    assert.equal(existsSync(manifest), false);
    await window.toast.getByRole("button", { name: "Create Rule Tree" }).waitFor();
    await picture("adoption");
    await window.toast.getByRole("button", { name: "Create Rule Tree" }).click();
    await window.tab("manifest").waitFor();
    assert.match(configuration(), /path = "CLAUDE\.md"/);
  });

  await check("the file that the rules come from stays as it is", async () => {
    assert.equal(readFileSync(claude, "utf8"), CLAUDE);
  });

  await check("the new tree is served by that Python, with what the extension brings", async () => {
    await window.statusItem("FRESH · 100% left").waitFor();
    await waitUntil(() => serverProcess() !== undefined);
    const command = readFileSync(`/proc/${serverProcess()}/cmdline`, "utf8").split("\0");
    assert.equal(command[0], bareIn(scratch));
    assert.ok(command.some((part) => part.endsWith("dist/server")));
    assert.equal(await window.squiggles.count(), 0);
  });

  await check(
    "nothing on its first screen is underlined, in high contrast and narrow",
    async () => {
      assert.equal(await window.editor.locator(".detected-link").count(), 0);
      changeSettings({ ...bare, "workbench.colorTheme": "Default High Contrast" });
      await page.locator(".monaco-workbench.hc-black").waitFor();
      await picture("first-contrast");
      changeSettings(bare);
      await page.locator(".monaco-workbench.vs").waitFor();
      await window.resize(undefined, NARROW);
      await picture("first-narrow");
      await window.resize();
    },
  );

  await check("the language status tells which server runs, and by which Python", async () => {
    await window.statusItem("Synapse Rules").waitFor();
    const item = page.locator(".statusbar-item [aria-label^='Editor Language Status']").first();
    await window.pointAt(item, "Synapse LS 0.1.0");
    await window.hover.filter({ hasText: "server of the extension" }).waitFor();
    await picture("language-status");
  });

  await check("another setting that leads to the same server leaves it alone", async () => {
    const before = serverProcess();
    changeSettings({ ...bare, "synapse.importStrategy": "fromEnvironment" });
    await window.run("Synapse: Copy Debug Information");
    await window.toast.filter({ hasText: "in the clipboard" }).waitFor();
    assert.equal(serverProcess(), before);
    await window.clearToasts();
  });

  await check("the extension is there at once, whatever the server takes", async () => {
    await window.resize(ENDLESS);
    await window.run("Developer: Show Running Extensions");
    const told = await extension("Synapse").innerText();
    const took = Number(/Activation: (\d+)ms/.exec(told)?.[1]);
    addFigure("activation of the extension, beside the server's start", took);
    assert.ok(took < ACTIVATION, told);
  });
}
