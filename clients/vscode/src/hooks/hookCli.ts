/** This module runs the sub-commands of the command line that are about hooks. */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { CurrentTree } from "../workspace/currentTree";
import { parseCliAnswer, TreeCli } from "../workspace/treeCli";
import type { InstallReport } from "./hookReports";

export class HookCli extends TreeCli {
  /** `home` is where processes start; no folder of a workspace. */
  constructor(server: Server, tree: CurrentTree, home: string) {
    super(server, tree, home, {
      untrusted: vscode.l10n.t(
        "This folder is not trusted, so no hook is looked at or changed: a hook is a command that agents run.",
      ),
      withoutFolder: vscode.l10n.t("A hook serves a project. Open its folder first."),
    });
  }

  /** Whether the server is the one inside the extension. */
  get isBundled(): boolean {
    return this.server.launch?.bundled ?? false;
  }

  /** Returns the clients that are in use, each with the reason. */
  async detectClients(root: string): Promise<NonNullable<InstallReport["detected"]> | undefined> {
    const result = await this.runSubcommand(root, ["install", "--dry-run", "--format", "json"]);
    // Where none is found there is nothing to propose, and any can be chosen.
    return result && (parseCliAnswer<InstallReport>(result)?.detected ?? []);
  }
}
