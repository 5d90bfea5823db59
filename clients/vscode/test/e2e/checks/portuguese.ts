/** The extension in a window of Brazilian Portuguese: what each surface says in it. */

import assert from "node:assert/strict";
import type { SuiteContext } from "../suite.ts";

export const language = "pt-br";

const MANIFEST = ".synapse/manifest";
const STATE = "TESTING_STATE=";
/** Pixels that a tab with one line of text stays below. */
const ONE_LINE = 36;

export async function checks(context: SuiteContext): Promise<void> {
  const { check, picture, read, window } = context;
  const { page, panel } = window;
  const lines = read(MANIFEST).split("\n");
  const recall = lines.findIndex((line) => line.startsWith("TESTING_RECALL=")) + 1;

  await check("portuguese: the status says how much of the window is left", async () => {
    await window.openFile(MANIFEST);
    await window.statusItem("FRESH · 100% livre").waitFor();
  });

  await check("portuguese: a hover explains", async () => {
    await window.goTo(recall, 3);
    await window.showHover();
    await window.hover.filter({ hasText: "Fora do bloco agora" }).waitFor();
    await picture("hover-portuguese");
    await page.keyboard.press("Escape");
  });

  await check("portuguese: completion says what it offers", async () => {
    await window.openFile(".synapse/money");
    await page.keyboard.press("Control+End");
    await window.showSuggestions("próxima regra");
    const offered = window.suggestions.filter({ hasText: "próxima regra" });
    await offered.filter({ hasText: /MONEY_RULE_/ }).waitFor();
    await page.keyboard.press("Escape");
  });

  await check("portuguese: a finding says what is wrong", async () => {
    await window.openFile(MANIFEST);
    await window.goTo(recall - 1, STATE.length + 1);
    await page.keyboard.press("Backspace");
    await page.keyboard.type(" ");
    await page.keyboard.press("Control+Shift+M");
    await window
      .problem("SYN103")
      .filter({ hasText: "A linha não é lida, porque não tem `=`." })
      .waitFor();
    await picture("problems-portuguese");
    await page.keyboard.press("Control+Shift+M");
    await window.run("File: Revert File");
  });

  await check("portuguese: a command has its title, the panel its words", async () => {
    await window.run("Synapse: Mostrar painel de contexto");
    await panel
      .locator(".size")
      .filter({ hasText: /\d+ tokens \(sem limite\)/ })
      .waitFor();
    await picture("panel-portuguese");
  });

  await check("portuguese: no label is broken in the middle of a word", async () => {
    for (const tab of await panel.getByRole("tab").all()) {
      const box = await tab.boundingBox();
      assert(box !== null && box.height < ONE_LINE, `${await tab.innerText()} has two lines`);
    }
  });
}
