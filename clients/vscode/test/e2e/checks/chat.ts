/** The built-in chat with a stand-in for the model: what arrives in the model's requests. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ModelStandIn, textOf } from "../modelStandIn.ts";
import { until } from "../processes.ts";
import type { Context, Place } from "../suite.ts";

const MODEL = "Stand-in";
const WITH_MCP = fileURLToPath(new URL("../mcpPython.py", import.meta.url));
const SAYING = "The stand-in has answered.";

export const settings = {
  "chat.disableAIFeatures": false,
  "github.copilot.chat.byok.enabled": true,
};

let model: ModelStandIn;

/** The chat knows models of one's own from this file. */
export async function prepare({ profile }: Place): Promise<undefined> {
  model = await ModelStandIn.start(SAYING);
  const one = { id: "stand-in", name: MODEL, url: model.url, toolCalling: true, vision: false };
  const group = {
    name: MODEL,
    vendor: "customendpoint",
    apiType: "chat-completions",
    apiKey: "none",
    models: [{ ...one, maxInputTokens: 128_000, maxOutputTokens: 16_000 }],
  };
  writeFileSync(path.join(profile, "chatLanguageModels.json"), JSON.stringify([group]));
}

export async function checks(context: Context): Promise<void> {
  const { check, picture, python, scratch, server, set, window } = context;
  const { page } = window;
  const chat = page.locator(".interactive-session");
  const answers = chat.locator(".interactive-response");

  const ask = async (text: string): Promise<void> => {
    await chat.locator(".interactive-input-part .monaco-editor").first().click();
    await page.keyboard.type(text);
    await page.keyboard.press("Escape"); // the list of commands, which would take Enter
    await page.keyboard.press("Enter");
  };
  const answered = (text: string | RegExp): Promise<void> =>
    answers.last().filter({ hasText: text }).waitFor();

  /** Gives the chat half of the window. */
  const widened = async (): Promise<void> => {
    await window.toggleSideBar();
    await chat.getByRole("button", { name: "Dismiss" }).click();
    const { x = 0 } = (await chat.boundingBox()) ?? {};
    await page.mouse.move(x - 2, 300);
    await page.mouse.down();
    await page.mouse.move(x - 260, 300, { steps: 4 });
    await page.mouse.up();
  };

  await check("the chat has the model", async () => {
    await window.openFile(".synapse/manifest");
    await window.statusItem(/FRESH/).waitFor();
    await page.keyboard.press("Control+Alt+I");
    await chat.locator(".interactive-input-part .monaco-editor").first().waitFor();
    // Signed out, the chat looks for models of one's own only when somebody goes to see them.
    await window.run("Chat: Manage Language Models");
    await chat.filter({ hasText: MODEL }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".modal-editor-part").waitFor({ state: "hidden" });
  });

  await check("an agent is offered our tools, and what one returns reaches the model", async () => {
    model.willCall("synapse_context", { prompt: "Add a unit test" });
    await ask("Which rules hold for a unit test?");
    await answered(SAYING);
    const offered = model.about("Which rules hold")[0]?.tools?.map((tool) => tool.function.name);
    assert.deepEqual(offered?.filter((name) => name.startsWith("synapse_")).sort(), [
      "synapse_check",
      "synapse_context",
    ]);
    const results = model.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
    assert.match(
      results.map(({ content }) => textOf(content)).join(),
      /<synapse-rules>[\s\S]*TESTING/,
    );
  });

  await check("@synapse /explain gives the model the facts, and the person too", async () => {
    await ask("@synapse /explain WEBHOOKS");
    await answered(/WEBHOOKS.*: not in the block/);
    await answered(SAYING);
    assert.equal(model.about("<facts>", "WEBHOOKS", ": not in the block").length, 1);
    await widened();
    await picture("chat");
  });

  await check("a model of @synapse can call its tools", async () => {
    model.willCall("synapse_check", {});
    await ask("@synapse are my rules sound?");
    // The answer before says the same, so what tells the new one is what the model was sent.
    await until(() => /no findings/.test(textOf(model.requests.at(-1)?.messages.at(-1)?.content)));
    await answered(SAYING);
  });

  await check("@synapse /context shows the block without asking the model", async () => {
    const before = model.requests.length;
    await ask("@synapse /context Add a unit test");
    await answered(/<synapse-rules>/);
    assert.equal(model.requests.length, before);
  });

  const mcpServers = async (): Promise<void> => {
    await page.keyboard.press("F1");
    await window.reply("MCP: List Servers");
    await window.offer("Add Server").waitFor();
  };

  await check("nothing is registered for MCP, as the server has none yet", async () => {
    await mcpServers();
    assert.equal(await window.offer("Synapse").count(), 0);
    await page.keyboard.press("Escape");
  });

  await check("a server with MCP is registered, started, and its tool is found", async () => {
    const interpreter = path.join(scratch, "python");
    const script = `#!/bin/sh\nexec '${python}' '${WITH_MCP}' "$@"\n`;
    writeFileSync(interpreter, script, { mode: 0o755 });
    const before = server();
    set({ "synapse.interpreter": interpreter });
    await until(() => ![undefined, before].includes(server()));
    await window.statusItem(/FRESH/).waitFor();
    await mcpServers();
    await window.offer("Synapse").click();
    await window.reply("Start Server");
    await page.getByText("Discovered 1 tools").waitFor();
  });
}
