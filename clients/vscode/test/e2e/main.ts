/**
 * The extension in a real VS Code, from the package to the screen.
 *
 *     node main.ts SERVER_MAIN CHROMIUM VSIX PYTHON WORKSPACE PICTURES
 *
 * WORKSPACE is copied first. The last line is "N passed, N failed".
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CodeServer } from "./codeServer.ts";
import { serverIn, until } from "./processes.ts";
import { Report } from "./report.ts";
import { Workbench } from "./workbench.ts";

const [serverMain = "", chromium = "", vsix = "", python = "", template = "", pictures = ""] =
  process.argv.slice(2);

const run = mkdtempSync(path.join(tmpdir(), "synapse-vscode-"));
const workspace = path.join(run, "showcase");
cpSync(template, workspace, { recursive: true });
mkdirSync(pictures, { recursive: true });
process.env.SYNAPSE_LS_CACHE = path.join(run, "cache");

const code = await CodeServer.start(serverMain, run, vsix, {
  "synapse.interpreter": python,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "workbench.startupEditor": "none",
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "editor.minimap.enabled": false,
  "editor.cursorBlinking": "solid",
  "editor.hover.delay": 100,
  "files.autoSave": "off",
});
const window = await Workbench.open(chromium, code.url, workspace);
const { page } = window;
const picture = async (name: string): Promise<void> => {
  const file = path.join(pictures, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
};
const report = new Report((name) => picture(`failed-${name}`));

const manifest = ".synapse/manifest";
const lines = readFileSync(path.join(workspace, manifest), "utf8").split("\n");
const recall = lines.findIndex((line) => line.startsWith("TESTING_RECALL=")) + 1;
const state = "TESTING_STATE=";

await report.check("opening the folder brings up bracket and share left", async () => {
  await window.statusItem(/FRESH · 100% left/).waitFor();
});

await report.check("a manifest has our language", async () => {
  await window.openFile(manifest);
  await window.statusItem("Synapse Rules").waitFor();
});

await report.check("a hover shows the block that the agent would get", async () => {
  await window.goTo(recall, 3);
  await window.showHover();
  await window.hover.filter({ hasText: "<synapse-rules>" }).waitFor();
  await picture("hover");
  await page.keyboard.press("Escape");
});

await report.check("a sound manifest has no squiggle", async () => {
  assert.equal(await window.squiggles.count(), 0);
});

await report.check("a broken line gets a squiggle", async () => {
  await window.goTo(recall - 1, state.length + 1);
  await page.keyboard.press("Backspace");
  await page.keyboard.type(" ");
  await window.squiggles.first().waitFor();
});

await report.check("the finding is a row of the Problems panel", async () => {
  await page.keyboard.press("Control+Shift+M");
  await window.problem("SYN103").waitFor();
  await picture("problems");
  await page.keyboard.press("Control+Shift+M");
});

await report.check("mending the line takes squiggle and row away", async () => {
  await window.goTo(recall - 1, state.length + 1);
  await page.keyboard.press("Backspace");
  await page.keyboard.type("=");
  await window.squiggles.first().waitFor({ state: "detached" });
  await page.keyboard.press("Control+S");
});

await report.check(
  "a rule file gets our language, a configuration file keeps its own",
  async () => {
    await window.openFile(".synapse/money");
    await window.statusItem("Synapse Rules").waitFor();
    await window.openFile(".synapse/config.toml");
    await window.statusItem("Synapse Rules").waitFor({ state: "detached" });
  },
);

await report.check("a click on the status item previews the block", async () => {
  await window.openFile(manifest);
  await window.statusItem(/FRESH/).click();
  await page.locator(".tab.active, .tab", { hasText: "Context of showcase" }).waitFor();
  await page.locator(".view-line", { hasText: "<synapse-rules>" }).waitFor();
  await window.toggleSideBar();
  await page.mouse.move(200, 18);
  await picture("preview");
  await window.toggleSideBar();
});

await report.check("the preview follows a rule that changes on disk", async () => {
  const file = path.join(workspace, ".synapse", "constitution");
  const rules = readFileSync(file, "utf8");
  writeFileSync(file, rules.replace("via CLI", "in a terminal"));
  await page.locator(".view-line", { hasText: "terminal" }).waitFor();
});

await report.check("a prompt of an agent moves bracket and share left", async () => {
  const transcript = path.join(run, "transcript.jsonl");
  const message = { model: "claude-sonnet-4-5", usage: { input_tokens: 100_000 } };
  writeFileSync(transcript, `${JSON.stringify({ type: "assistant", message })}\n`);
  const event = {
    session_id: "s1",
    cwd: workspace,
    transcript_path: transcript,
    prompt: "@dev go",
  };
  execFileSync(python, ["-m", "synapse_ls", "hook", "--event", "UserPromptSubmit"], {
    input: JSON.stringify({ ...event, hook_event_name: "UserPromptSubmit" }),
  });
  await window.statusItem("MODERATE · 50% left").waitFor();
  await window.statusItem("MODERATE · 50% left").hover();
  await window.hover.filter({ hasText: "Agent: @dev" }).waitFor();
  await picture("status");
});

await report.check("the server can be restarted", async () => {
  const before = serverIn(run);
  await window.run("Synapse: Restart Server");
  await until(() => ![undefined, before].includes(serverIn(run)));
  await window.statusItem("MODERATE · 50% left").waitFor();
});

await report.check("a server that dies comes back by itself", async () => {
  const dead = serverIn(run);
  assert(dead !== undefined);
  process.kill(dead, "SIGKILL");
  await until(() => ![undefined, dead].includes(serverIn(run)));
  await window.statusItem("MODERATE · 50% left").waitFor();
  assert.equal(await window.toast.count(), 0);
});

await report.check("an interpreter that does not fit is told with a remedy", async () => {
  code.set({ "synapse.interpreter": "/nowhere/python" });
  await window.toast.filter({ hasText: "/nowhere/python (not found)" }).waitFor();
  await window.toast.getByRole("button", { name: "Choose Interpreter" }).waitFor();
  await page.mouse.move(200, 18); // away from the item, whose tooltip says the same
  await picture("no-interpreter");
});

await report.check("naming one that fits is enough to go on", async () => {
  code.set({});
  await window.statusItem("MODERATE · 50% left").waitFor();
  await window.clearToasts();
});

await report.check("a server that cannot start is told of once, with a remedy", async () => {
  const broken = path.join(run, "broken-python");
  const script = `#!/bin/sh\ncase "$*" in *serve*) exit 3 ;; esac\nexec '${python}' "$@"\n`;
  writeFileSync(broken, script, { mode: 0o755 });
  code.set({ "synapse.interpreter": broken });
  await window.toast.filter({ hasText: "could not be started" }).waitFor();
  assert.equal(await window.toast.count(), 1);
});

await window.close();
await code.stop();
if (report.good) {
  rmSync(run, { recursive: true });
} else {
  console.log(`What it has left behind: ${run}`);
}
process.exit(report.close());
