/** The block of the next prompt as a document of its own. */

import type { SuiteContext } from "../suite.ts";

export async function checks({ check, picture, read, window, write }: SuiteContext): Promise<void> {
  const { page } = window;

  await check("the block can be opened beside the manifest", async () => {
    await window.openFile(".synapse/manifest");
    await window.statusItem(/FRESH/).waitFor();
    await window.run("Synapse: Preview Context");
    await window.tab("Context of showcase").waitFor();
    await page.locator(".view-line", { hasText: "<synapse-rules>" }).waitFor();
    await window.toggleSideBar();
    await page.mouse.move(200, 18);
    await picture("preview");
    await window.toggleSideBar();
  });

  await check("the preview follows a rule that changes on disk", async () => {
    const rules = read(".synapse/constitution");
    write(".synapse/constitution", rules.replace("via CLI", "in a terminal"));
    await page.locator(".view-line", { hasText: "terminal" }).waitFor();
    write(".synapse/constitution", rules);
    await page.locator(".view-line", { hasText: "via CLI" }).waitFor();
  });
}
