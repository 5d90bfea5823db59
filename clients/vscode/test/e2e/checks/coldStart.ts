/** A cold window with a manifest in it: how long until the first finding. */

import path from "node:path";
import type { SuiteContext, SuiteWorkspace, WindowTarget } from "../suite.ts";

const MANIFEST = ".synapse/manifest";

export async function prepare({ read, workspace, write }: SuiteWorkspace): Promise<WindowTarget> {
  write(MANIFEST, `BROKEN\n${read(MANIFEST)}`);
  return { file: path.join(workspace, MANIFEST) };
}

export async function checks({ check, addFigure, window }: SuiteContext): Promise<void> {
  await check(
    "the first thing one sees of a broken manifest is what is wrong with it",
    async () => {
      const { text, finding } = await window.firstSights();
      addFigure("first finding, from the manifest's text on the screen", finding - text);
      addFigure("first finding, from opening the window", finding);
    },
  );
}
