/** The built-in chat with a stand-in for the model: what arrives in the model's requests. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { type ModelStandIn, textOf } from "../modelStandIn.ts";
import { until } from "../processes.ts";
import { Chat, provide, SAYING, SETTINGS } from "../standInChat.ts";
import type { Context, Place } from "../suite.ts";

export const settings = SETTINGS;

let model: ModelStandIn;

export async function prepare(place: Place): Promise<undefined> {
  model = await provide(place);
}

export async function checks(context: Context): Promise<void> {
  const { check, picture, python, scratch, server, set, window } = context;
  const { page } = window;
  const chat = new Chat(window);

  /** Gives the chat half of the window. */
  const widened = async (): Promise<void> => {
    await window.toggleSideBar();
    await chat.view.getByRole("button", { name: "Dismiss" }).click();
    const { x = 0 } = (await chat.view.boundingBox()) ?? {};
    await page.mouse.move(x - 2, 300);
    await page.mouse.down();
    await page.mouse.move(x - 260, 300, { steps: 4 });
    await page.mouse.up();
  };

  await check("the chat has the model", async () => {
    await window.openFile(".synapse/manifest");
    await window.statusItem(/FRESH/).waitFor();
    await chat.open();
  });

  await check("an agent is offered our tools, and what one returns reaches the model", async () => {
    model.willCall("synapse_context", { prompt: "Add a unit test" });
    await chat.ask("Which rules hold for a unit test?");
    await chat.answered(SAYING);
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
    await chat.ask("@synapse /explain WEBHOOKS");
    await chat.answered(/WEBHOOKS.*: not in the block/);
    await chat.answered(SAYING);
    assert.equal(model.about("<facts>", "WEBHOOKS", ": not in the block").length, 1);
    await widened();
    await picture("chat");
  });

  await check("a model of @synapse can call its tools", async () => {
    model.willCall("synapse_check", {});
    await chat.ask("@synapse are my rules sound?");
    // The answer before says the same, so what tells the new one is what the model was sent.
    await until(() => /no findings/.test(textOf(model.requests.at(-1)?.messages.at(-1)?.content)));
    await chat.answered(SAYING);
  });

  await check("@synapse /context shows the block without asking the model", async () => {
    const before = model.requests.length;
    await chat.ask("@synapse /context Add a unit test");
    await chat.answered(/<synapse-rules>/);
    assert.equal(model.requests.length, before);
  });

  const mcpServers = async (): Promise<void> => {
    await page.keyboard.press("F1");
    await window.reply("MCP: List Servers");
    await window.offer("Add Server").waitFor();
  };

  await check("the server is registered for MCP", async () => {
    await mcpServers();
    await window.offer("Synapse").waitFor();
    await page.keyboard.press("Escape");
  });

  await check("with a Python that lacks the SDK nothing is registered", async () => {
    const interpreter = path.join(scratch, "python");
    // Without its libraries there is only what the extension brings along.
    writeFileSync(interpreter, `#!/bin/sh\nexec '${python}' -S "$@"\n`, { mode: 0o755 });
    const before = server();
    set({ "synapse.interpreter": interpreter });
    await until(() => ![undefined, before].includes(server()));
    await window.statusItem(/FRESH/).waitFor();
    await mcpServers();
    assert.equal(await window.offer("Synapse").count(), 0);
    await page.keyboard.press("Escape");
  });
}
