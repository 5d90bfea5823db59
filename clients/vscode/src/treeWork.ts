/** What is done with a tree as a whole: its profile, its memories, migration, hand-offs, reports. */

import * as vscode from "vscode";
import { Executor } from "./commands/execute";
import { continuityCommands } from "./continuity/commands";
import type { CurrentTree } from "./currentTree";
import type { Desk } from "./desk";
import { memoryCommands } from "./memory/commands";
import { migrationCommands } from "./migration/commands";
import type { Pages } from "./pages";
import { profileCommands } from "./profile/commands";
import type { Proposals } from "./proposal";
import type { Server } from "./server";
import { TreeCli } from "./treeCli";

/** `home` is where processes start; no folder of a workspace. */
export function treeWork(
  server: Server,
  tree: CurrentTree,
  proposals: Proposals,
  pages: Pages,
  home: string,
): vscode.Disposable {
  const cli = new TreeCli(server, tree, home, {
    untrusted: vscode.l10n.t("This folder is not trusted, so Synapse changes nothing in it."),
    nowhere: vscode.l10n.t("A rule tree belongs to a folder. Open your project first."),
  });
  const desk: Desk = { cli, executor: new Executor(server, tree), tree, pages, proposals };
  return vscode.Disposable.from(
    profileCommands(desk),
    migrationCommands(desk),
    memoryCommands(desk),
    continuityCommands(desk),
  );
}
