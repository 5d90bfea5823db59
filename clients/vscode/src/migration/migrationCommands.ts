/**
 * This module registers the commands that migrate a CARL tree to `.synapse/`, roll the migration
 * back, or finish it.
 */

import * as vscode from "vscode";
import type { TreeServices } from "../commands/treeServices";
import { showInformation, showWarning } from "../text/messages";
import type { MigrationReport, RollbackReport } from "./migrationPreview";
import { migrationPreview } from "./migrationPreview";

/** Milliseconds that a success stands in the status bar. */
const MESSAGE_DURATION = 8_000;
/** The command of the server. */
const MIGRATE_COMMAND = "synapse.migrate";

export function registerMigrationCommands(services: TreeServices): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.migrateTree", () => migrateTree(services)),
    register("synapse.rollBackMigration", () => rollBackMigration(services)),
    register("synapse.finishMigration", () => finishMigration(services)),
    services.tree.onDidChange(() => updateMigrationKey(services.tree.root)),
  );
}

async function migrateTree({ executor, proposals, tree }: TreeServices): Promise<void> {
  const uri = await executor.requireRoot();
  const plan = uri && (await executor.run<MigrationReport>(MIGRATE_COMMAND, { uri, step: "plan" }));
  if (!uri || !plan) {
    return;
  }
  const isWanted = await proposals.confirm({
    title: vscode.l10n.t("Migration"),
    ...migrationPreview(plan),
    question: vscode.l10n.t(
      "Turn the CARL tree into this one? It stays where it is, and all of this can be taken back.",
    ),
    acceptLabel: vscode.l10n.t("Migrate"),
  });
  if (
    !isWanted ||
    !(await executor.run<MigrationReport>(MIGRATE_COMMAND, { uri, step: "migrate" }))
  ) {
    return;
  }
  await tree.refresh();
  const back = vscode.l10n.t("Roll Back");
  const answer = await showInformation(
    vscode.l10n.t("The rules are in .synapse now, and agents get them from there."),
    back,
  );
  if (answer === back) {
    await vscode.commands.executeCommand("synapse.rollBackMigration");
  }
}

async function rollBackMigration({ cli, executor, tree }: TreeServices): Promise<void> {
  const root = await cli.requireRoot();
  const plan =
    root && (await cli.requestJson<RollbackReport>(root, "migrate", "--rollback", "--dry-run"));
  const uri = plan && (await executor.requireRoot());
  if (!uri || !plan) {
    return;
  }
  const yes = vscode.l10n.t("Roll Back");
  const answer = await showWarning(
    vscode.l10n.t("Take the migration back? Every file becomes what it was."),
    { modal: true, detail: pathList(plan.steps.map(({ path }) => path)) },
    yes,
  );
  if (
    answer === yes &&
    (await executor.run<RollbackReport>(MIGRATE_COMMAND, { uri, step: "rollback" }))
  ) {
    await tree.refresh();
    showSuccess(vscode.l10n.t("Agents get the rules of the CARL tree again."));
  }
}

async function finishMigration({ executor, tree }: TreeServices): Promise<void> {
  const uri = await executor.requireRoot();
  const plan = uri && (await executor.run<MigrationReport>(MIGRATE_COMMAND, { uri, step: "plan" }));
  if (!uri || !plan) {
    return;
  }
  const yes = vscode.l10n.t("Finish");
  const answer = await showWarning(
    vscode.l10n.t("Remove the CARL tree, which has served its time? A backup is kept."),
    { modal: true, detail: pathList(plan.removals) },
    yes,
  );
  if (
    answer === yes &&
    (await executor.run<MigrationReport>(MIGRATE_COMMAND, { uri, step: "finish" }))
  ) {
    await tree.refresh();
    showSuccess(vscode.l10n.t("The migration is finished."));
  }
}

/** Sets the context key that shows the migration commands in menus. */
async function updateMigrationKey(root: string | undefined): Promise<void> {
  const has = async (path: string): Promise<boolean> =>
    root !== undefined &&
    vscode.workspace.fs.stat(vscode.Uri.joinPath(vscode.Uri.parse(root), path)).then(
      () => true,
      () => false,
    );
  const [old, own] = await Promise.all([has(".carl"), has(".synapse/manifest")]);
  const state = old ? (own ? "migrated" : "carl") : "";
  await vscode.commands.executeCommand("setContext", "synapse.migration", state);
}

function pathList(paths: readonly string[]): string {
  const limit = 12;
  const more = paths.length - limit;
  return [...paths.slice(0, limit), ...(more > 0 ? [`… ${more}`] : [])].join("\n");
}

function showSuccess(sentence: string): void {
  vscode.window.setStatusBarMessage(`$(check) ${sentence}`, MESSAGE_DURATION);
}
