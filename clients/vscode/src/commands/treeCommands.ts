/** This module registers all commands that work on a rule tree and gives them their services. */

import * as vscode from "vscode";
import type { MarkdownPages } from "../documents/markdownPages";
import type { Proposals } from "../documents/proposals";
import { registerMemoryCommands } from "../memory/memoryCommands";
import { registerMigrationCommands } from "../migration/migrationCommands";
import { registerProfileCommand } from "../profile/profileCommands";
import { registerRecoveryCommands } from "../recovery/recoveryCommands";
import type { Server } from "../server/server";
import type { CurrentTree } from "../workspace/currentTree";
import { TreeCli } from "../workspace/treeCli";
import { registerAuditCommand } from "./auditCommand";
import { CommandExecutor } from "./commandExecutor";
import { registerDomainCommands, registerDomainMenu } from "./domainCommands";
import { registerExplainCommands } from "./explainCommands";
import { registerFixCommands } from "./fixCommands";
import { registerGuardCommand } from "./guardCommand";
import type { PinnedSessions } from "./pinnedSessions";
import { registerSessionCommands } from "./sessionCommands";
import type { TreeServices } from "./treeServices";

/** Registers them all. `home` is where processes start; no folder of a workspace. */
export function registerTreeCommands(
  server: Server,
  tree: CurrentTree,
  pins: PinnedSessions,
  proposals: Proposals,
  pages: MarkdownPages,
  home: string,
): vscode.Disposable {
  const executor = new CommandExecutor(server, tree);
  const cli = new TreeCli(server, tree, home, {
    untrusted: vscode.l10n.t("This folder is not trusted, so Synapse changes nothing in it."),
    withoutFolder: vscode.l10n.t("A rule tree belongs to a folder. Open your project first."),
  });
  const services: TreeServices = { cli, executor, tree, pages, proposals };
  return vscode.Disposable.from(
    registerSessionCommands(executor, tree, pins, pages),
    registerDomainCommands(executor),
    registerDomainMenu(),
    registerExplainCommands(executor),
    registerGuardCommand(executor),
    registerAuditCommand(services),
    registerFixCommands(services),
    registerProfileCommand(services),
    registerMigrationCommands(services),
    registerMemoryCommands(services),
    registerRecoveryCommands(services),
  );
}
