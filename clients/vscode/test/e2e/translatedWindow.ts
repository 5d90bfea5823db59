/** The checks of a window in another language: what each surface of the extension says in it. */

import assert from "node:assert/strict";
import type { SuiteContext } from "./suite.ts";

/** What a person reads, in the order in which the checks look for it. */
export interface Wording {
  /** How the status item ends that shows a fresh window. */
  readonly left: string;
  /** The finding of a line without `=`, in the Problems panel. */
  readonly finding: string;
  /** What the hover of a domain's keywords says. */
  readonly hover: string;
  /** The title of the command that shows the panel. */
  readonly showContext: string;
  /** The size of a block, in the panel. */
  readonly size: RegExp;
  /** What completion says of the key of the next rule. */
  readonly completion: string;
}

const MANIFEST = ".synapse/manifest";
const STATE = "TESTING_STATE=";
/** Pixels that a tab with one line of text stays below. */
const ONE_LINE = 36;

export async function checkWording(context: SuiteContext, name: string, wording: Wording) {
  const { check, picture, read, window } = context;
  const { page, panel } = window;
  const lines = read(MANIFEST).split("\n");
  const recall = lines.findIndex((line) => line.startsWith("TESTING_RECALL=")) + 1;

  await check(`${name}: the status says how much of the window is left`, async () => {
    await window.openFile(MANIFEST);
    await window.statusItem(wording.left).waitFor();
  });

  await check(`${name}: a hover explains`, async () => {
    await window.goTo(recall, 3);
    await window.showHover();
    await window.hover.filter({ hasText: wording.hover }).waitFor();
    await picture(`hover-${name}`);
    await page.keyboard.press("Escape");
  });

  await check(`${name}: completion says what it offers`, async () => {
    await window.openFile(".synapse/money");
    await page.keyboard.press("Control+End");
    await window.showSuggestions(wording.completion);
    const offered = window.suggestions.filter({ hasText: wording.completion });
    await offered.filter({ hasText: /MONEY_RULE_/ }).waitFor();
    await page.keyboard.press("Escape");
  });

  await check(`${name}: a finding says what is wrong`, async () => {
    await window.openFile(MANIFEST);
    await window.goTo(recall - 1, STATE.length + 1);
    await page.keyboard.press("Backspace");
    await page.keyboard.type(" ");
    await page.keyboard.press("Control+Shift+M");
    await window.problem("SYN103").filter({ hasText: wording.finding }).waitFor();
    await picture(`problems-${name}`);
    await page.keyboard.press("Control+Shift+M");
    await window.run("File: Revert File");
  });

  await check(`${name}: a command has its title, the panel its words`, async () => {
    await window.run(`Synapse: ${wording.showContext}`);
    await panel.locator(".size").filter({ hasText: wording.size }).waitFor();
    await picture(`panel-${name}`);
  });

  await check(`${name}: no label is broken in the middle of a word`, async () => {
    for (const tab of await panel.getByRole("tab").all()) {
      const box = await tab.boundingBox();
      assert(box !== null && box.height < ONE_LINE, `${await tab.innerText()} has two lines`);
    }
  });
}
