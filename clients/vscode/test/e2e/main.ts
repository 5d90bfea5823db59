/**
 * The extension in a real VS Code, from the package to the screen.
 *
 *     node main.ts SERVER_MAIN CHROMIUM VSIX PYTHON WORKSPACE PICTURES [SUITE …]
 *
 * WORKSPACE is copied for each window. Without the name of a suite all of them run, two windows at a
 * time: one alone waits for the machine as often as the machine for it. The last line is "N passed, N
 * failed".
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
import { type Lane, runWindow, type Stage } from "./run.ts";
import type { Suites } from "./suite.ts";
import { launch } from "./workbench.ts";

/** Windows in which something is measured, so that nothing runs beside them. */
const ALONE: readonly Suites[] = [{ starting }, { opening }];

/** All others, the long ones first. A window takes longer to be there than most of what is done in it. */
const WINDOWS: readonly Suites[] = [
  { delivery, chat },
  { panel, work },
  { views },
  { sessions },
  { hooks },
  { editing, block, status },
  { renaming, recovery },
  { trust },
  { migrating },
  { folders },
  { searching },
];

const LANES = ["one", "two"];

const SETTINGS = {
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
};

const [serverMain = "", chromium = "", vsix = "", python = "", template = "", pictures = ""] =
  process.argv.slice(2, 8);
const wanted = process.argv.slice(8);
const known = [...ALONE, ...WINDOWS].flatMap((suites) => Object.keys(suites));
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(", ")}; there are ${known.join(", ")}`);
  process.exit(2);
}

const run = mkdtempSync(path.join(tmpdir(), "synapse-vscode-"));
mkdirSync(pictures, { recursive: true });
process.env.SYNAPSE_LS_CACHE = path.join(run, "cache");

/** VS Code and a browser of its own, so that lanes share neither settings nor a clipboard. */
async function laneIn(folder: string): Promise<Lane> {
  const settings = { ...SETTINGS, "synapse.interpreter": python };
  const code = new Installation(serverMain, path.join(folder, "code"), settings);
  const [browser] = await Promise.all([launch(chromium), code.install(vsix)]);
  return { browser, code, folder };
}

/** The windows with what is wanted of them. */
function chosen(windows: readonly Suites[]): Suites[] {
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
  return windows
    .map((suites) => Object.entries(suites).filter(([name]) => isWanted(name)))
    .filter((suites) => suites.length > 0)
    .map((suites) => Object.fromEntries(suites));
}

/** Shows them one after another, and takes each from the list. */
async function show(windows: Suites[], lane: Lane): Promise<void> {
  for (let next = windows.shift(); next !== undefined; next = windows.shift()) {
    await runWindow(next, lane, stage);
  }
}

const report = new Report();
const stage: Stage = { report, template, pictures, python };
const lanes = await Promise.all(LANES.map((name) => laneIn(path.join(run, name))));
await show(chosen(ALONE), lanes[0] as Lane);
const rest = chosen(WINDOWS);
await Promise.all(lanes.map((lane) => show(rest, lane)));
await Promise.all(lanes.map(({ browser }) => browser.close()));
if (report.good) {
  rmSync(run, { recursive: true });
} else {
  console.log(`What it has left behind: ${run}`);
}
process.exit(report.close());
