/** The hook under the built-in chat, with a stand-in for the model: what its requests have. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type ModelStandIn, messageText } from "../modelStandIn.ts";
import { waitUntil } from "../processes.ts";
import { CHAT_SETTINGS, provideModel, STAND_IN_REPLY, StandInChat } from "../standInChat.ts";
import type { SuiteContext, SuiteWorkspace } from "../suite.ts";
import { runSynapse } from "../synapseProgram.ts";

const OPENING = "<synapse-rules>";

export const settings = CHAT_SETTINGS;

let model: ModelStandIn;

/** Registers the hook, whose line finds the program on the search path. */
export async function prepare(place: SuiteWorkspace): Promise<undefined> {
  const { workspace } = place;
  // The first session of all changes the folder, so that the tree is read again, while a prompt waits.
  mkdirSync(path.join(workspace, ".synapse", "sessions"), { recursive: true });
  runSynapse(place, "install", "--client", "vscode", "--scope", "project");
  model = await provideModel(place);
}

export async function checks(context: SuiteContext): Promise<void> {
  const { check, window } = context;
  const chat = new StandInChat(window);
  const times = (text: string, part: string): number => text.split(part).length - 1;

  /** The block of a prompt in a new session. */
  const wholeBlock = (prompt: string): string => runSynapse(context, "context", prompt);

  /** All that the model reads for its answer to a prompt. */
  const read = async (prompt: string): Promise<string> => {
    await chat.ask(prompt);
    await waitUntil(() => model.turnsWith(prompt).length > 0);
    await chat.waitForAnswer(STAND_IN_REPLY);
    const messages = model.turnsWith(prompt).at(-1)?.messages ?? [];
    return messages.map(({ content }) => messageText(content)).join("\n");
  };

  await check("the first prompt brings the whole block", async () => {
    const block = wholeBlock("@dev Say hello");
    await window.openFile(".synapse/manifest");
    await chat.open();
    assert.equal(times(await read("@dev Say hello"), block), 1);
  });

  await check("an unchanged prompt brings nothing", async () => {
    assert.equal(times(await read("Go on"), OPENING), 1);
  });

  await check("another agent brings the difference and revokes the last", async () => {
    const text = await read("@qa Look at it");
    assert.equal(times(text, OPENING), 2);
    assert.equal(times(text, "[ACTIVE AGENT: @qa]"), 1);
    assert.equal(times(text, "@dev's rules no longer apply"), 1);
    assert.equal(times(text, "[GLOBAL]"), 1);
  });

  await check("another chat gets everything again", async () => {
    await chat.startNewChat();
    const block = wholeBlock("Once more");
    assert.equal(times(await read("Once more"), block), 1);
  });
}
