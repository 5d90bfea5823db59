/**
 * The extension in a real VS Code, from the package to the screen.
 *
 *     node main.ts SERVER_MAIN CHROMIUM VSIX PYTHON WORKSPACE PICTURES [SUITE …]
 *
 * WORKSPACE is copied for each suite. Without the name of a suite all of them run. The last line is
 * "N passed, N failed".
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as block from "./checks/block.ts";
import * as chat from "./checks/chat.ts";
import * as delivery from "./checks/delivery.ts";
import * as editing from "./checks/editing.ts";
import * as folders from "./checks/folders.ts";
import * as hooks from "./checks/hooks.ts";
import * as migrating from "./checks/migrating.ts";
import * as opening from "./checks/opening.ts";
import * as panel from "./checks/panel.ts";
import * as recovery from "./checks/recovery.ts";
import * as renaming from "./checks/renaming.ts";
import * as searching from "./checks/searching.ts";
import * as sessions from "./checks/sessions.ts";
import * as starting from "./checks/starting.ts";
import * as status from "./checks/status.ts";
import * as trust from "./checks/trust.ts";
import * as views from "./checks/views.ts";
import * as work from "./checks/work.ts";
import { Installation } from "./codeServer.ts";
import { Report } from "./report.ts";
import { runSuite } from "./run.ts";
import type { Suite } from "./suite.ts";
import { launch } from "./workbench.ts";

/** In the order in which somebody meets these things. */
const SUITES: { readonly [name: string]: Suite } = {
  starting,
  opening,
  editing,
  renaming,
  block,
  panel,
  status,
  views,
  sessions,
  work,
  migrating,
  hooks,
  chat,
  delivery,
  folders,
  trust,
  recovery,
  searching,
};

const [serverMain = "", chromium = "", vsix = "", python = "", template = "", pictures = ""] =
  process.argv.slice(2, 8);
const wanted = process.argv.slice(8);
const unknown = wanted.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(
    `no such suite: ${unknown.join(", ")}; there are ${Object.keys(SUITES).join(", ")}`,
  );
  process.exit(2);
}

const run = mkdtempSync(path.join(tmpdir(), "synapse-vscode-"));
mkdirSync(pictures, { recursive: true });
process.env.SYNAPSE_LS_CACHE = path.join(run, "cache");

const code = new Installation(serverMain, path.join(run, "code"), {
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
code.install(vsix);
const browser = await launch(chromium);
const report = new Report();
for (const [name, suite] of Object.entries(SUITES)) {
  if (wanted.length === 0 || wanted.includes(name)) {
    await runSuite(name, suite, { browser, code, report, run, template, pictures, python });
  }
}
await browser.close();
if (report.good) {
  rmSync(run, { recursive: true });
} else {
  console.log(`What it has left behind: ${run}`);
}
process.exit(report.close());
