/** The built-in chat with a stand-in for the model: what arrives in the model's requests. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { type ModelRequest, type ModelStandIn, messageText } from "../modelStandIn.ts";
import { waitUntil } from "../processes.ts";
import { CHAT_SETTINGS, provideModel, STAND_IN_REPLY, StandInChat } from "../standInChat.ts";
import type { SuiteContext, SuiteWorkspace } from "../suite.ts";

export const settings = CHAT_SETTINGS;

let model: ModelStandIn;

export async function prepare(place: SuiteWorkspace): Promise<undefined> {
  model = await provideModel(place);
}

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, python, scratch, serverProcess, changeSettings, window } = context;
  const { page } = window;
  const chat = new StandInChat(window);

  /** Gives the chat half of the window. */
  const widened = async (): Promise<void> => {
    await window.toggleSideBar();
    await chat.view.getByRole("button", { name: "Dismiss" }).click();
    const { x = 0 } = (await chat.view.boundingBox()) ?? {};
    await page.mouse.move(x - 2, 300);
    await page.mouse.down();
    await page.mouse.move(x - 260, 300, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(200, 18);
  };

  /**
   * Sends a prompt in whose turn the model calls the tool that is queued. A chat offers tools as soon as
   * their owners are there, which it does not wait for: the prompt is sent again where they were not.
   */
  const askUntilCalled = async (prompt: string, tool: string): Promise<void> => {
    await waitUntil(async () => {
      const before = model.turnsWith(prompt).length;
      await chat.ask(prompt);
      await waitUntil(() => model.turnsWith(prompt).length > before);
      const isCalled = offeredTools(model.turnsWith(prompt)[before]).includes(tool);
      if (isCalled) {
        await waitUntil(() => model.turnsWith(prompt).length > before + 1);
      }
      await chat.waitForAnswer(STAND_IN_REPLY);
      return isCalled;
    });
  };

  await check("the chat has the model", async () => {
    await window.openFile(".synapse/manifest");
    await window.statusItem(/FRESH/).waitFor();
    await chat.open();
  });

  await check("an agent is offered our tools, and what one returns reaches the model", async () => {
    model.queueToolCall("synapse_context", { prompt: "Add a unit test" });
    await askUntilCalled("Which rules hold for a unit test?", "synapse_context");
    const offered = offeredTools(model.turnsWith("Which rules hold").at(-1));
    assert.deepEqual(offered.filter((name) => name.startsWith("synapse_")).sort(), [
      "synapse_check",
      "synapse_context",
    ]);
    const last = model.turnsWith("Which rules hold").at(-1);
    const results = last?.messages.filter(({ role }) => role === "tool") ?? [];
    assert.match(
      results.map(({ content }) => messageText(content)).join(),
      /<synapse-rules>[\s\S]*TESTING/,
    );
  });

  await check("@synapse /explain gives the model the facts, and the person too", async () => {
    await chat.ask("@synapse /explain WEBHOOKS");
    await chat.waitForAnswer(/WEBHOOKS.*: not in the block/);
    await chat.waitForAnswer(STAND_IN_REPLY);
    assert.equal(model.requestsWith("<facts>", "WEBHOOKS", ": not in the block").length, 1);
    await widened();
    await picture("chat");
  });

  await check("a model of @synapse can call its tools", async () => {
    model.queueToolCall("synapse_check", {});
    await chat.ask("@synapse are my rules sound?");
    // The answer before says the same, so what tells the new one is what the model was sent.
    await waitUntil(() => model.requestsWith("no findings").length > 0);
    await chat.waitForAnswer(STAND_IN_REPLY);
  });

  await check("@synapse /context shows the block without asking the model", async () => {
    await chat.ask("@synapse /context Add a unit test of parcels");
    await chat.waitForAnswer(/<synapse-rules>/);
    assert.equal(model.turnsWith("of parcels").length, 0);
  });

  const mcpServers = async (): Promise<void> => {
    await window.run("MCP: List Servers");
    await window.offer("Add Server").waitFor();
  };
  /** Our row of that list, by what is read out: what is hidden of a row may be another one's. */
  const ours = () => page.locator('.quick-input-list .monaco-list-row[aria-label*="Synapse"]');
  const leaveList = async (): Promise<void> => {
    await page.keyboard.press("Escape");
    await window.offer("Add Server").waitFor({ state: "hidden" });
  };

  /** Whether the list has us now: it stays as it was when it was opened. */
  const isRegistered = async (): Promise<boolean> => {
    await mcpServers();
    const registered = (await ours().count()) > 0;
    await leaveList();
    return registered;
  };

  await check(
    "the server is registered for MCP, but not with a Python that lacks the SDK",
    async () => {
      const interpreter = path.join(scratch, "python");
      // Without its libraries there is only what the extension brings along.
      writeFileSync(interpreter, `#!/bin/sh\nexec '${python}' -S "$@"\n`, { mode: 0o755 });
      const before = serverProcess();
      await waitUntil(isRegistered);
      changeSettings({ "synapse.interpreter": interpreter });
      // While a server starts there is none to register; what counts is what comes of the new one.
      await waitUntil(() => ![undefined, before].includes(serverProcess()));
      await window.statusItem(/FRESH/).waitFor();
      await waitUntil(async () => !(await isRegistered()));
      const lacking = serverProcess();
      changeSettings({});
      await waitUntil(() => ![undefined, lacking].includes(serverProcess()));
      await window.statusItem(/FRESH/).waitFor();
      await waitUntil(isRegistered);
    },
  );

  await check("the tools of the MCP server are discovered", async () => {
    await mcpServers();
    await ours().click();
    await window.offer("Show Output").waitFor();
    // Most often a chat has started it already; one that is started here shows its output by itself.
    const isStopped = (await window.offer("Start Server").count()) > 0;
    await window.offer(isStopped ? "Start Server" : "Show Output").click();
    const output = page.locator(".output-view .view-line");
    await output.filter({ hasText: /Discovered.[1-9]\d*.tools/ }).waitFor();
    await window.run("View: Hide Panel");
    await output.first().waitFor({ state: "hidden" });
  });

  await check("an agent is offered the tools of the MCP server too", async () => {
    model.queueToolCall("mcp_synapse_ls_status", {});
    await askUntilCalled("How is the session?", "mcp_synapse_ls_status");
    const told = model.turnsWith("How is the session?").at(-1)?.messages.at(-1);
    assert.match(messageText(told?.content), /FRESH/);
  });
}

function offeredTools(request: ModelRequest | undefined): readonly string[] {
  return request?.tools?.map((tool) => tool.function.name) ?? [];
}
