/** Asks the command line about hooks. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import type { Server } from "../server";
import { answerIn, TreeCli } from "../treeCli";
import type { Installed } from "./reports";

export class HookCli extends TreeCli {
  /** `home` is where processes start; no folder of a workspace. */
  constructor(server: Server, tree: CurrentTree, home: string) {
    super(server, tree, home, {
      untrusted: vscode.l10n.t(
        "This folder is not trusted, so no hook is looked at or changed: a hook is a command that agents run.",
      ),
      nowhere: vscode.l10n.t("A hook serves a project. Open its folder first."),
    });
  }

  /** Whether the server is the one inside the extension. */
  get bundled(): boolean {
    return this.server.launch?.bundled ?? false;
  }

  /** The clients that are in use, and what shows it. */
  async detected(root: string): Promise<NonNullable<Installed["detected"]> | undefined> {
    const finished = await this.run(root, ["install", "--dry-run", "--format", "json"]);
    // Where none is found there is nothing to propose, and any can be chosen.
    return finished && (answerIn<Installed>(finished)?.detected ?? []);
  }
}
