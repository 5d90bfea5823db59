/** A hook that cannot start: the window says so with the first turn, and what it advises works when it is done. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ModelStandIn, messageText } from "../modelStandIn.ts";
import { waitUntil } from "../processes.ts";
import { CHAT_SETTINGS, provideModel, STAND_IN_REPLY, StandInChat } from "../standInChat.ts";
import type { SuiteContext, SuiteWorkspace } from "../suite.ts";
import { runSynapse } from "../synapseProgram.ts";

const OPENING = "<synapse-rules>";
/** A home of its own, since the remedy writes what holds in all projects. */
const home = mkdtempSync(path.join(tmpdir(), "synapse-home-"));

export const settings = CHAT_SETTINGS;
/** A search path on which the program of the shared line is not. */
export const environment = { PATH: "/usr/bin:/bin", HOME: home };

let model: ModelStandIn;

export async function prepare(place: SuiteWorkspace): Promise<undefined> {
  runSynapse(place, "install", "--client", "vscode", "--scope", "project");
  model = await provideModel(place);
}

export async function checks({ check, window }: SuiteContext): Promise<void> {
  const { page } = window;
  const chat = new StandInChat(window);
  const write = page.getByRole("button", { name: "Write This" });

  /** All that the model reads for its answer to a prompt. */
  const read = async (prompt: string): Promise<string> => {
    await chat.ask(prompt);
    await waitUntil(() => model.turnsWith(prompt).length > 0);
    await chat.waitForAnswer(STAND_IN_REPLY);
    const messages = model.turnsWith(prompt).at(-1)?.messages ?? [];
    return messages.map(({ content }) => messageText(content)).join("\n");
  };

  await check("the window names a hook that cannot start within one turn", async () => {
    await window.openFile(".synapse/manifest");
    await chat.open();
    assert.ok(!(await read("Is anybody there?")).includes(OPENING));
    await window.statusItem(/last delivered: never/).waitFor();
    await window.pointAt(window.statusItem(/last delivered: never/), "choose “Only me”");
    await page.mouse.move(500, 18);
  });

  await check("its remedy, done to the letter, brings the rules", async () => {
    await window.run("Synapse: Install Hook…");
    // What is in use is ticked.
    await window
      .offer(/VS Code Copilot Chat/)
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await window.answerPrompt("Only me");
    await write.waitFor();
    await window.clearToasts();
    await write.click();
    await write.waitFor({ state: "detached" });
    await waitUntil(async () => (await read(`And now, at ${Date.now()}?`)).includes(OPENING));
  });

  await check("the window then says that the rules are delivered", async () => {
    await window.statusItem(/last delivered/).waitFor({ state: "detached" });
  });
  rmSync(home, { recursive: true, force: true });
}
