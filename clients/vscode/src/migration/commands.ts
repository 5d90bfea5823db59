/** From a CARL tree to one of `.synapse/`: shown, done, taken back, finished. */

import * as vscode from "vscode";
import type { Desk } from "../desk";
import { migrationPage } from "./page";
import type { Migration, Rollback } from "./reports";

/** Milliseconds that a success stands in the status bar. */
const LONG = 8_000;
/** Of the server. */
const COMMAND = "synapse.migrate";

export function migrationCommands(desk: Desk): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.migrateTree", () => migrate(desk)),
    register("synapse.rollBackMigration", () => rollBack(desk)),
    register("synapse.finishMigration", () => finish(desk)),
    desk.tree.onDidChange(() => tellMenus(desk.tree.root)),
  );
}

async function migrate({ executor, proposals, tree }: Desk): Promise<void> {
  const uri = await executor.root();
  const planned = uri && (await executor.run<Migration>(COMMAND, { uri, step: "plan" }));
  if (!uri || !planned) {
    return;
  }
  const isWanted = await proposals.ask({
    title: vscode.l10n.t("Migration"),
    ...migrationPage(planned),
    question: vscode.l10n.t(
      "Turn the CARL tree into this one? It stays where it is, and all of this can be taken back.",
    ),
    yes: vscode.l10n.t("Migrate"),
  });
  if (!isWanted || !(await executor.run<Migration>(COMMAND, { uri, step: "migrate" }))) {
    return;
  }
  await tree.refresh();
  const back = vscode.l10n.t("Roll Back");
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t("The rules are in .synapse now, and agents are told them from there."),
    back,
  );
  if (answer === back) {
    await vscode.commands.executeCommand("synapse.rollBackMigration");
  }
}

async function rollBack({ cli, executor, tree }: Desk): Promise<void> {
  const root = await cli.root();
  const planned = root && (await cli.ask<Rollback>(root, "migrate", "--rollback", "--dry-run"));
  const uri = planned && (await executor.root());
  if (!uri || !planned) {
    return;
  }
  const yes = vscode.l10n.t("Roll Back");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Take the migration back? Every file becomes what it was."),
    { modal: true, detail: listed(planned.steps.map(({ path }) => path)) },
    yes,
  );
  if (answer === yes && (await executor.run<Rollback>(COMMAND, { uri, step: "rollback" }))) {
    await tree.refresh();
    told(vscode.l10n.t("The CARL tree is what agents are told from again."));
  }
}

async function finish({ executor, tree }: Desk): Promise<void> {
  const uri = await executor.root();
  const planned = uri && (await executor.run<Migration>(COMMAND, { uri, step: "plan" }));
  if (!uri || !planned) {
    return;
  }
  const yes = vscode.l10n.t("Finish");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Remove the CARL tree, which has served its time? A backup is kept."),
    { modal: true, detail: listed(planned.removals) },
    yes,
  );
  if (answer === yes && (await executor.run<Migration>(COMMAND, { uri, step: "finish" }))) {
    await tree.refresh();
    told(vscode.l10n.t("The migration is finished."));
  }
}

/** Whether there is something to migrate, or a migration to take back or to finish. */
async function tellMenus(root: string | undefined): Promise<void> {
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

function listed(paths: readonly string[]): string {
  const shown = 12;
  const more = paths.length - shown;
  return [...paths.slice(0, shown), ...(more > 0 ? [`… ${more}`] : [])].join("\n");
}

function told(sentence: string): void {
  vscode.window.setStatusBarMessage(`$(check) ${sentence}`, LONG);
}
