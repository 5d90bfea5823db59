/**
 * The built-in chat of a real VS Code, played by another program: a line of JSON in is a move, a line out
 * says what came of it.
 *
 *     node chatWalk.ts SERVER_MAIN CHROMIUM FOLDER WORKSPACE MODEL_URL
 *
 * FOLDER is VS Code's own, the variables of this process are those of the hooks that it calls.
 */

import path from "node:path";
import { createInterface } from "node:readline";
import { CodeInstallation } from "./codeServer.ts";
import {
  CHAT_SETTINGS,
  registerModel,
  STAND_IN_REPLY,
  StandInChat,
  waitUntilWritten,
} from "./standInChat.ts";
import { launchBrowser, Workbench } from "./workbench.ts";

interface Move {
  readonly move: string;
  readonly text?: string;
  readonly old?: string;
}

const SETTINGS = {
  ...CHAT_SETTINGS,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "workbench.startupEditor": "none",
  "workbench.reduceMotion": "on",
  "chat.editing.confirmEditRequestRemoval": false,
  "chat.tools.autoApprove": true,
};

const [main = "", chromium = "", folder = "", workspace = "", url = ""] = process.argv.slice(2);
const program = { main, extensions: path.join(folder, "extensions") };
const code = new CodeInstallation(program, folder, SETTINGS);
code.writeSettings({});
registerModel(code.profile, url);
const server = await code.start({ HOME: process.env.HOME ?? "" });
const browser = await launchBrowser(chromium);
const window = await Workbench.open(browser, server.authority, {
  folder: workspace,
  file: undefined,
  language: undefined,
});
await window.resize(2400); // room for many requests: one that is out of sight takes a while to find
const chat = new StandInChat(window, ".part.auxiliarybar");
const beside = new StandInChat(window, ".part.editor");

const MOVES: Record<string, (move: Move) => Promise<unknown>> = {
  open: async () => {
    await window.openFile(".synapse/manifest");
    await chat.open();
  },
  ask: ({ text = "" }) => chat.ask(text),
  replace: ({ old = "", text = "" }) => chat.replaceRequest(old, text),
  restore: ({ old = "" }) => chat.restoreBefore(old),
  retry: () => chat.retry(),
  fork: ({ old = "" }) => chat.forkBefore(old),
  compact: () => chat.compact(),
  beside: async ({ text = "" }) => {
    await beside.openInEditor();
    await beside.ask(text);
    await beside.waitForAnswer(STAND_IN_REPLY);
    await beside.waitUntilIdle();
  },
  cancel: () => chat.cancel(),
  answered: () => chat.waitForAnswer(STAND_IN_REPLY),
  idle: () => chat.waitUntilIdle(),
  written: ({ text = "" }) => waitUntilWritten({ profile: code.profile, window }, text),
  clear: () => chat.startNewChat(),
  reload: async () => {
    const isOpenBeside = await beside.view.isVisible();
    await window.reload();
    await chat.view.waitFor();
    if (isOpenBeside) {
      await beside.view.waitFor();
    }
  },
};

console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  const move = JSON.parse(line) as Move;
  try {
    await MOVES[move.move]?.(move);
    console.log(JSON.stringify({ done: move.move }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
await window.close();
await server.stop();
await browser.close();
