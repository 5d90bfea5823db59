/** The views beside the Context panel, the Testing view, and what one does with a tree from there. */

import assert from "node:assert/strict";
import { sendPrompt } from "../agentPrompt.ts";
import { waitUntil } from "../processes.ts";
import type { SuiteContext } from "../suite.ts";

const MANIFEST = ".synapse/manifest";
const TESTS = ".synapse/tests/prompts.toml";

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, read, window, write } = context;
  const { page } = window;

  const prompt = (session: string, text: string, used: number): void =>
    sendPrompt(context, session, text, used);

  await check("domains are listed by layer, with what each puts into the block", async () => {
    await window.statusItem(/FRESH/).waitFor();
    await window.run("View: Show Synapse");
    await window.unfold("Context", false);
    await window.unfold("Domains");
    await window.row("L0 Constitution").waitFor();
    assert.equal(await window.row(/^MONEY/).count(), 0);
    await picture("domains");
    for (const layer of ["L2 Agent", "L1 Global"]) {
      await window.unfoldRow(layer);
    }
    await window.row(/^MONEY.*2 rules · 46 tokens/).waitFor();
    await window.row(/^AGENT_QA.*no agent is active/).waitFor();
  });

  await check("a domain is switched off in its row, and the file is saved", async () => {
    const row = window.row(/^MONEY/);
    await window.pressInRow(row, "Switch Off");
    await window.row(/^MONEY.*off/).waitFor();
    await waitUntil(() => read(MANIFEST).includes("MONEY_STATE=inactive"));
  });

  await check("and on again with a command, from a list", async () => {
    await window.run("Synapse: Switch Domain On or Off");
    await window.answerPrompt("MONEY");
    await window.row(/^MONEY.*2 rules/).waitFor();
    await waitUntil(() => read(MANIFEST).includes("MONEY_STATE=active"));
  });

  await check("the menu of a domain leads to its file, and to another name", async () => {
    await window.chooseFromMenu(window.row(/^MONEY/), "Open Rule File");
    await window.tab("money").waitFor();
    await window.chooseFromMenu(window.row(/^MONEY/), "Rename…");
    await page.locator(".rename-box input").waitFor();
    await page.keyboard.press("Escape");
  });

  await check("without a session the list of agents says what choosing does", async () => {
    await window.run("Synapse: Activate Agent");
    await page.getByPlaceholder("There is no session yet").waitFor();
    await page.keyboard.press("Escape");
  });

  await check("a session shows up with how its window filled", async () => {
    await window.unfold("Sessions");
    prompt("s1", "@dev go", 20_000);
    prompt("s1", "and on", 60_000);
    prompt("s1", "Add a unit test", 100_000);
    await window.row(/current.*50% left.*MODERATE/).waitFor();
    prompt("s2", "hello", 10_000);
    await window.row(/95% left/).waitFor();
  });

  await check("a session is pinned and followed", async () => {
    const row = window.row(/50% left/);
    await window.pressInRow(row, "Pin Session");
    await window.row(/pinned.*50% left/).waitFor();
    await window.statusItem(/MODERATE · 50% left/).waitFor();
  });

  await check("prompts in other sessions are seen all the same", async () => {
    prompt("s2", "and on", 20_000);
    await window.row(/90% left/).waitFor();
  });

  await check("squads are listed with their domains", async () => {
    await window.unfold("Domains", false);
    await window.unfold("Squads");
    await window.row(/partner-squad/).waitFor();
  });

  await check("what agents got is listed, and opened as it was sent", async () => {
    await window.unfold("Squads", false);
    await window.unfold("Recent Injections");
    await window
      .row(/FRESH · claude/)
      .first()
      .waitFor();
    const row = window.row(/MODERATE · claude/).first();
    await window.pressInRow(row, "Open What Was Sent");
    await window.line("[WITHDRAWN]").locator(".mtkb").first().waitFor(); // in its colours
    await picture("injections");
    await window.line("[WITHDRAWN]").click();
    await page.keyboard.press("Control+End");
    await window.line("[KEYWORD MATCHES]").waitFor();
  });

  await check("the tooltip of a session draws how its window filled", async () => {
    await window.unfold("Recent Injections", false);
    await window.row(/50% left/).hover();
    await window.hover.filter({ hasText: "prompt by prompt" }).locator("img").waitFor();
    await picture("session");
    await page.mouse.move(700, 18);
  });

  await check("an agent is activated from a list", async () => {
    await window.unfold("Domains");
    await window.run("Synapse: Activate Agent");
    await picture("agents");
    await window.answerPrompt("@qa");
    await window.row(/^AGENT_QA.*6 rules/).waitFor();
    await window.row(/@qa/).first().waitFor();
    await window.tab(/Greeting of Tomas/).waitFor();
    await window.run("View: Close Editor");
    await window.clearToasts();
    await page.mouse.move(800, 52);
    await picture("views");
  });

  await check("a new domain is made step by step", async () => {
    await window.run("Synapse: New Domain");
    await window.answerPrompt("unit-speed");
    await picture("new-domain");
    await window.answerPrompt("Words of the prompt");
    await window.answerPrompt("slow test, fast test");
    await window.answerPrompt("Keep a unit test below a tenth of a second");
    await window.tab("unit-speed").waitFor();
    await window.line("tenth").waitFor();
    await waitUntil(() => read(MANIFEST).includes("UNIT_SPEED_RECALL=slow test,fast test"));
    await window.row("L1 Global").hover(); // which brings up the buttons of the view
    await page.getByRole("button", { name: "Collapse All" }).first().click();
    await window.unfoldRow("L6 Keywords");
    await window.row(/^UNIT_SPEED/).waitFor();
    await window.statusItem("Synapse Rules").waitFor();
  });

  await check("a rule is added to the domain of the file", async () => {
    await window.run("Synapse: New Rule");
    await window.answerPrompt("UNIT_SPEED");
    await window.answerPrompt("Measure before you mend");
    await window.line("mend").waitFor();
    await window.statusItem("Ln 4, Col 1").waitFor();
    await waitUntil(() => read(".synapse/unit-speed").includes("Measure before you mend"));
  });

  await check("a rule for a bracket asks which one", async () => {
    await window.run("Synapse: New Rule");
    await window.answerPrompt("CONTEXT");
    await window.answerPrompt("CRITICAL");
    await window.answerPrompt("Commit what works before anything else");
    await window.line("anything else").waitFor();
    await waitUntil(() => /CRITICAL_\d+=Commit what works/.test(read(".synapse/context")));
  });

  await check("tests of the tree run in the Testing view", async () => {
    await window.run("Testing: Focus on Test Explorer View");
    await window.row(/prompts.toml/).waitFor();
    await window.run("Test: Run All Tests");
    await page.locator(".test-explorer .result-summary", { hasText: "4/4" }).waitFor();
  });

  await check("one that fails says so at its expectation", async () => {
    write(TESTS, read(TESTS).replace('domains = ["WEBHOOKS"]', 'domains = ["DATABASE"]'));
    await window.openFile(TESTS);
    const expectation = read(TESTS).split("\n").indexOf('domains = ["DATABASE"]') + 1;
    await window.goTo(expectation, 1);
    await window.run("Test: Run All Tests");
    await page.locator(".test-explorer .result-summary", { hasText: "3/4" }).waitFor();
    await page.locator(".test-error-content-widget", { hasText: "is not in the block" }).waitFor();
    await picture("testing");
  });

  await check("a continuous run follows what changes on disk", async () => {
    await page
      .getByRole("button", { name: /(Turn on|Start) Continuous Run/ })
      .first()
      .click();
    write(TESTS, read(TESTS).replace('domains = ["DATABASE"]', 'domains = ["WEBHOOKS"]'));
    await page.locator(".test-explorer .result-summary", { hasText: "4/4" }).waitFor();
  });

  await check("a rule says why it is left out", async () => {
    await window.openFile(".synapse/database");
    const lines = read(".synapse/database").split("\n");
    await window.goTo(lines.findIndex((line) => line.startsWith("DATABASE_RULE_0")) + 1, 3);
    await window.run("Synapse: Explain Rule Under Cursor");
    await window.offer(/the prompt has none of its keywords/).waitFor();
    await picture("explain-rule");
    await page.keyboard.press("Escape");
  });

  await check("what is left out is searched, and a remedy is tried out in the panel", async () => {
    await window.run("Synapse: Why Not Injected");
    await window
      .offer(/the bracket is/)
      .first()
      .waitFor();
    await page.keyboard.type("AGENT_DEVOPS");
    await window
      .offer(/it is for @devops/)
      .first()
      .waitFor();
    await picture("why-not");
    await window
      .offer(/it is for @devops/)
      .first()
      .getByRole("button", { name: "Try @devops" })
      .click();
    await window.panel.getByText("@devops").first().waitFor();
    await window.tab("database").click();
  });

  await check("a selection is tried out as a prompt", async () => {
    await window.openFile("README.md");
    await page.keyboard.press("Control+A");
    await window.run("Synapse: Preview Block for Selection");
    await window.panel.getByRole("textbox").first().waitFor();
  });
}
