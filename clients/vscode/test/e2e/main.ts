/**
 * The extension in a real VS Code, from the package to the screen.
 *
 *     node main.ts SERVER_MAIN CHROMIUM VSIX PYTHON WORKSPACE PICTURES [SUITE …]
 *
 * WORKSPACE is copied for each window. Without the name of a suite all of them run, two windows at a
 * time: one alone waits for the machine as often as the machine for it. The last line is "N passed, N failed".
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as chat from "./checks/chat.ts";
import * as coldStart from "./checks/coldStart.ts";
import * as contextPreview from "./checks/contextPreview.ts";
import * as deadHook from "./checks/deadHook.ts";
import * as delivery from "./checks/delivery.ts";
import * as domainRename from "./checks/domainRename.ts";
import * as editedRequests from "./checks/editedRequests.ts";
import * as firstRun from "./checks/firstRun.ts";
import * as hookInstallation from "./checks/hookInstallation.ts";
import * as instructions from "./checks/instructions.ts";
import * as longChat from "./checks/longChat.ts";
import * as manifestEditing from "./checks/manifestEditing.ts";
import * as migration from "./checks/migration.ts";
import * as multiRoot from "./checks/multiRoot.ts";
import * as panel from "./checks/panel.ts";
import * as portuguese from "./checks/portuguese.ts";
import * as serverFailure from "./checks/serverFailure.ts";
import * as sessions from "./checks/sessions.ts";
import * as status from "./checks/status.ts";
import * as treeCommands from "./checks/treeCommands.ts";
import * as views from "./checks/views.ts";
import * as workspaceTrust from "./checks/workspaceTrust.ts";
import { CodeInstallation } from "./codeServer.ts";
import type { Suites } from "./suite.ts";
import { TestReport } from "./testReport.ts";
import { type Lane, runWindow, type Stage } from "./windowRun.ts";
import { launchBrowser } from "./workbench.ts";

/** Windows in which something is measured, so that no other window runs beside them. */
const ALONE: readonly Suites[] = [{ firstRun }, { coldStart }];

/** All others, the long ones first. A window takes longer to be there than most of what is done in it. */
const WINDOWS: readonly Suites[] = [
  { delivery, chat, longChat },
  { editedRequests },
  { manifestEditing, contextPreview, status, sessions, views },
  { panel, hookInstallation, treeCommands },
  { deadHook },
  { domainRename, instructions, serverFailure },
  { workspaceTrust },
  { migration },
  { multiRoot },
  { portuguese },
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
const requestedNames = process.argv.slice(8);
const suiteNames = [...ALONE, ...WINDOWS].flatMap((suites) => Object.keys(suites));
const unknownNames = requestedNames.filter((name) => !suiteNames.includes(name));
if (unknownNames.length > 0) {
  console.error(`no such suite: ${unknownNames.join(", ")}; there are ${suiteNames.join(", ")}`);
  process.exit(2);
}

const run = mkdtempSync(path.join(tmpdir(), "synapse-vscode-"));
mkdirSync(pictures, { recursive: true });
process.env.SYNAPSE_LS_CACHE = path.join(run, "cache");
// Shared lines of hooks call `synapse-ls` of the search path.
process.env.PATH = [path.dirname(python), process.env.PATH].join(path.delimiter);

/** VS Code and a browser of its own, so that lanes share neither settings nor a clipboard. */
async function openLane(name: string): Promise<Lane> {
  const folder = path.join(run, name);
  const code = createInstallation(folder);
  return { browser: await launchBrowser(chromium), code, folder };
}

function createInstallation(folder: string): CodeInstallation {
  const extensions = path.join(run, "extensions");
  const program = { main: serverMain, extensions };
  const settings = { ...SETTINGS, "synapse.interpreter": python };
  return new CodeInstallation(program, path.join(folder, "code"), settings);
}

/** The windows with what is wanted of them; one of them as often as the name of its suite is given. */
function selectedSuites(windows: readonly Suites[]): Suites[] {
  const count = (name: string): number =>
    requestedNames.length === 0 ? 1 : requestedNames.filter((named) => named === name).length;
  return windows.flatMap((suites) => {
    const wanted = Object.entries(suites).filter(([name]) => count(name) > 0);
    const times = Math.max(0, ...wanted.map(([name]) => count(name)));
    return Array.from({ length: times }, () => Object.fromEntries(wanted));
  });
}

/** Shows them one after another, and takes each from the list. */
async function runWindows(windows: Suites[], lane: Lane): Promise<void> {
  for (let next = windows.shift(); next !== undefined; next = windows.shift()) {
    await runWindow(next, lane, stage);
  }
  await lane.browser.close();
}

const report = new TestReport();
const stage: Stage = { report, template, pictures, python };
await createInstallation(path.join(run, "first")).install(vsix);
for (const [index, suites] of selectedSuites(ALONE).entries()) {
  await runWindows([suites], await openLane(`alone-${index}`));
}
const rest = selectedSuites(WINDOWS);
const lanes = await Promise.all(LANES.map(openLane));
await Promise.all(lanes.map((lane) => runWindows(rest, lane)));
if (report.isSuccess) {
  rmSync(run, { recursive: true });
} else {
  console.log(`What it has left behind: ${run}`);
}
process.exit(report.close());
