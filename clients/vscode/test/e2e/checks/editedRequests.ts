/** What a person takes back in a chat goes with the rules that came with it, which are injected again. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type ModelStandIn, messageText } from "../modelStandIn.ts";
import { waitUntil } from "../processes.ts";
import {
  CHAT_SETTINGS,
  provideModel,
  STAND_IN_REPLY,
  StandInChat,
  waitUntilWritten,
} from "../standInChat.ts";
import type { SuiteContext, SuiteWorkspace } from "../suite.ts";
import { runSynapse } from "../synapseProgram.ts";

export const settings = {
  ...CHAT_SETTINGS,
  "chat.editing.confirmEditRequestRemoval": false,
};

let model: ModelStandIn;

export async function prepare(place: SuiteWorkspace): Promise<undefined> {
  mkdirSync(path.join(place.workspace, ".synapse", "sessions"), { recursive: true });
  runSynapse(place, "install", "--client", "vscode", "--scope", "project");
  model = await provideModel(place);
}

export async function checks(context: SuiteContext): Promise<void> {
  const { check, read, window } = context;
  const chat = new StandInChat(window);

  /** What the model reads for the answer to a prompt. */
  const answered = async (prompt: string): Promise<string> => {
    await waitUntil(() => model.turnsWith(prompt).length > 0);
    await chat.waitForAnswer(STAND_IN_REPLY);
    const { messages = [] } = model.turnsWith(prompt).at(-1) ?? {};
    return messages.map(({ content }) => messageText(content)).join("\n");
  };

  const ask = async (prompt: string): Promise<string> => {
    await chat.ask(prompt);
    return answered(prompt);
  };

  const count = (text: string, words: string): number => text.split(words).length - 1;

  await check("an edited request takes its rules along, and the next prompt has them", async () => {
    await window.openFile(".synapse/manifest");
    await chat.open();
    await ask("@dev begin with it");
    assert.equal(count(await ask("@qa look at it"), "[ACTIVE AGENT: @qa]"), 1);
    await waitUntilWritten(context, "@qa look at it");
    await chat.replaceRequest("@qa look at it", "test it instead");
    await answered("test it instead");
    await waitUntilWritten(context, '"i":1}');
    const request = await ask("go on now");
    assert.equal(count(request, "@qa look at it"), 0);
    assert.equal(count(request, "[ACTIVE AGENT: @qa]"), 1);
    assert.equal(count(request, "@dev's rules no longer apply"), 1);
    const rules = [...read(".synapse/global").matchAll(/^GLOBAL_RULE_\d+=(.+)$/gm)];
    for (const [, rule = ""] of rules) {
      assert.equal(count(request, rule), 1);
    }
    const log = runSynapse(context, "log");
    assert.match(log, /· cancelled/);
    assert.match(log, /· arrived/);
  });
}
