/** The Context panel: what it shows, what is tried out in it, and where its links lead. */

import assert from "node:assert/strict";
import { waitUntil } from "../processes.ts";
import type { SuiteContext } from "../suite.ts";
import { blockTokens } from "../synapseProgram.ts";

const THEMES = {
  dark: { theme: "Default Dark Modern", kind: "vscode-dark" },
  contrast: { theme: "Default High Contrast", kind: "vscode-high-contrast" },
};
const STATE = ".aiox/story-development-20260302-k7w2p9-state.yaml";
const TALL = 820;

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, read, changeSettings, window, write } = context;
  const { page, panel } = window;
  const tokens = blockTokens(context);
  const size = panel.locator(".size");
  const prompt = panel.getByRole("textbox", { name: "Prompt" });
  const layer = (text: string) => panel.locator("#shown .layer", { hasText: text }).first();
  const leftOut = (text: string) => panel.locator(".left-out .layer", { hasText: text }).first();
  const block = panel.locator("pre");

  await check("a click on the status item opens the panel, layer by layer", async () => {
    await window.openFile(".synapse/manifest");
    await window.resize(TALL); // not before: a window that is still being put up does not notice
    await window.statusItem(/FRESH/).click();
    await panel.getByRole("heading", { name: "FRESH" }).waitFor();
    await size.filter({ hasText: `${tokens} tokens (no limit)` }).waitFor();
    await layer("Constitution").waitFor();
    await layer("partner-squad").waitFor();
    await layer("Keywords").waitFor({ state: "detached" });
  });

  await check("the keyboard is in the prompt: what is typed brings in its keywords", async () => {
    // A page that has taken long to load has not been given it: one may have gone on to something else.
    const focused = prompt.and(panel.locator(":focus"));
    await waitUntil(async () => {
      await window.statusItem(/FRESH/).click();
      return focused.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
    await page.keyboard.type("*brief Add a unit test");
    await panel.getByText("Activates TESTING, *brief.").waitFor();
    await layer("Keywords").getByText('the prompt says "unit test"').waitFor();
    await page.mouse.move(800, 52); // nothing is pointed at
    await picture("panel");
  });

  await check("it follows the theme, also one of high contrast", async () => {
    for (const [name, { theme, kind }] of Object.entries(THEMES)) {
      changeSettings({ "workbench.colorTheme": theme });
      await panel.locator(`body.${kind}`).waitFor();
      await picture(`panel-${name}`);
    }
    changeSettings({});
    await panel.locator("body.vscode-light").waitFor();
  });

  await check("the first rules are in sight in a window of the usual size", async () => {
    await window.resize(800, 1280);
    await picture("panel-usual");
    const rules = await panel.locator("#shown .rule").evaluateAll(inSight);
    assert(rules >= 8, `${rules} rules are in sight`);
  });

  await window.resize(TALL);

  await check("a hidden panel comes back as it was", async () => {
    await window.toggleSideBar();
    await window.toggleSideBar();
    await panel.getByText("Activates TESTING, *brief.").waitFor();
    assert.equal(await prompt.inputValue(), "*brief Add a unit test");
  });

  await check("resetting shows how it is now", async () => {
    await panel.getByRole("button", { name: "Reset" }).click();
    await size.filter({ hasText: `${tokens} tokens (no limit)` }).waitFor();
    assert.equal(await prompt.inputValue(), "");
  });

  await check("a rule leads to its file", async () => {
    await layer("Constitution").getByRole("button", { name: "No code without a story" }).click();
    await window.tab("constitution").waitFor();
    await window.statusItem("Ln 10, Col 1").waitFor();
  });

  await check("what is left out is narrowed to one kind of reason", async () => {
    // The panel may be drawn anew between pressing the button of the mouse and releasing it.
    const opened = panel.locator(".left-out[open]");
    await waitUntil(async () => {
      if (!(await opened.isVisible())) {
        await panel.locator(".left-out > summary").click();
      }
      return opened.isVisible();
    });
    await panel.getByRole("button", { name: /^for other agents \d+$/ }).click();
    await leftOut("AGENT_QA").waitFor();
    await leftOut("TESTING").waitFor({ state: "detached" });
    const all = panel.getByRole("button", { name: /^all \d+$/ });
    assert.equal(await all.getAttribute("aria-pressed"), "false");
    await page.mouse.move(800, 52);
    await picture("panel-reasons");
    await all.click();
    await leftOut("TESTING").waitFor();
  });

  await check("what is left out says why, and can be tried out", async () => {
    await leftOut("AGENT_QA").locator("summary").click();
    await leftOut("AGENT_QA").getByText("it is for @qa; no agent is active").waitFor();
    await leftOut("AGENT_QA").locator("summary").scrollIntoViewIfNeeded();
    await page.mouse.move(800, 52);
    await picture("panel-left-out");
    await leftOut("AGENT_QA").getByRole("button", { name: "Try @qa" }).click();
    await layer("@qa").waitFor();
    await leftOut("it is for @qa; no agent is active").waitFor({ state: "detached" });
    await panel.locator(".left-out > summary").click();
  });

  await check("another bracket and less of the window left have another heading", async () => {
    await panel.getByText("Try another situation").click();
    await panel
      .getByRole("combobox", { name: "Bracket" })
      .selectOption({ label: "CRITICAL (less than 25% left)" });
    await panel.getByRole("heading", { name: "CRITICAL" }).waitFor();
    await panel.getByRole("slider", { name: "Window left" }).fill("45");
    await panel.getByRole("heading", { name: "MODERATE" }).waitFor();
  });

  await check("two states are compared", async () => {
    await window.run("Synapse: Compare Others with This State");
    await panel.getByText("Compared with: MODERATE · @qa").waitFor();
    await panel.getByRole("combobox", { name: "Agent" }).selectOption("@dev (Payments Engineer)");
    const added = panel.locator(".comparison .added");
    await added.getByText("Work through the acceptance criteria").waitFor();
    await panel.locator(".comparison .removed").getByText("NEVER commit code").waitFor();
    await panel.getByText("Try another situation").click();
    await picture("panel-comparison");
    await panel.getByRole("button", { name: "End comparison" }).click();
    await added.waitFor({ state: "detached" });
  });

  await check("the full block and what is sent now are tabs for the keyboard too", async () => {
    await panel.getByRole("button", { name: "Reset" }).click();
    await panel.getByRole("tab", { name: "Layers" }).focus();
    await page.keyboard.press("ArrowRight");
    await block.filter({ hasText: "[GLOBAL]" }).waitFor();
    assert(await panel.getByRole("tab", { name: "Full block" }).evaluate(isFocused));
    await page.keyboard.press("ArrowRight");
    await panel.getByText(`The whole block, ${tokens} tokens.`).waitFor();
    await page.keyboard.press("Home");
    await layer("Constitution").waitFor();
  });

  await check("a rule that changes on disk changes in the panel", async () => {
    write(
      ".synapse/constitution",
      read(".synapse/constitution").replace("via CLI", "in a terminal"),
    );
    await layer("Constitution").getByText("in a terminal").waitFor();
  });

  await check("a workflow that moves on changes the panel", async () => {
    await layer("Workflow").getByText("PHASE: in_development").waitFor();
    const state = read(STATE).replace("current_phase: in_development", "current_phase: qa_review");
    write(STATE, state.replace("current_step_index: 1", "current_step_index: 2"));
    await layer("Workflow").getByText("PHASE: qa_review").waitFor();
  });

  await check("text of a workspace is never markup", async () => {
    const evil = "<img src=x onerror=alert(1)> & <b>bold</b>";
    write(".synapse/money", `${read(".synapse/money").trimEnd()}\nMONEY_RULE_9=${evil}\n`);
    await layer("Global").getByText(evil, { exact: true }).waitFor();
    assert.equal(await panel.locator("img, b").count(), 0);
  });

  await check("what is not saved is told of", async () => {
    await window.openFile(".synapse/global");
    await page.keyboard.type("# ");
    await panel.getByText("Not saved, so not in here: global.").waitFor();
    await page.keyboard.press("Control+S");
    await panel.getByText("Not saved").waitFor({ state: "detached" });
  });

  await check("a block that may not be cut any more says by how much it is over", async () => {
    // Where the budgets are the seeds' letter, they bound a first block too.
    const config = read(".synapse/config.toml");
    write(".synapse/config.toml", config.replace('"synapse-live"', '"synapse"'));
    const rules = read(".synapse/constitution");
    const more = Array.from({ length: 40 }, (_, index) => {
      const text = "MUST keep a line that is long enough to count for more than a few tokens";
      return `CONSTITUTION_RULE_ART1_${index + 10}=${text}, ${index}`;
    });
    write(".synapse/constitution", `${rules.trimEnd()}\n${more.join("\n")}\n`);
    const over = panel.getByRole("button", { name: /\d+ tokens over the budget: nothing more/ });
    await over.waitFor();
    await window.pointAt(window.statusItem(/\d{4} tokens/), "more than the budget");
    await page.mouse.move(800, 52);
    await picture("panel-over");
    write(".synapse/constitution", rules);
    write(".synapse/config.toml", config);
    await over.waitFor({ state: "detached" });
  });

  await check("a lens opens the panel with its situation", async () => {
    await window.openFile(".synapse/agent-devops");
    await window.clickLens("preview", layer("@devops"));
    await panel.getByText("Tried out, not as it is now").waitFor();
    await panel.getByRole("button", { name: "Reset" }).click();
    await layer("@devops").waitFor({ state: "detached" });
  });

  await check("it can be read in a narrow window, and at twice the size", async () => {
    // A window of half the size is what a zoom of 200 % leaves.
    for (const [name, height, width] of [
      ["narrow", TALL, 480],
      ["zoomed", 400, 640],
    ] as const) {
      await window.resize(height, width);
      await waitUntil(() => panel.locator("main").evaluate(fitsWidth));
      await picture(`panel-${name}`);
    }
    await window.resize(TALL);
  });
}

/** Returns how many of some elements lie in the page's window as a whole. */
function inSight(elements: readonly unknown[]): number {
  const { innerHeight } = globalThis as unknown as { innerHeight: number };
  const bottoms = (elements as { getBoundingClientRect(): { bottom: number } }[]).map(
    (element) => element.getBoundingClientRect().bottom,
  );
  return bottoms.filter((bottom) => bottom <= innerHeight).length;
}

/** Tells whether nothing sticks out at the side. */
function fitsWidth(element: unknown): boolean {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number };
  return clientWidth > 0 && scrollWidth <= clientWidth;
}

function isFocused(element: unknown): boolean {
  return (
    element === (globalThis as { document?: { activeElement: unknown } }).document?.activeElement
  );
}
