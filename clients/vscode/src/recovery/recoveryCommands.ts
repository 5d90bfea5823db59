/**
 * This module registers the commands that show the session's recovery report, write a hand-off, or
 * diagnose the tree.
 */

import * as vscode from "vscode";
import type { TreeServices } from "../commands/treeServices";
import type { HandOffReport, RecoveryReport } from "./recoveryPage";
import { recoveryPage } from "./recoveryPage";

export function registerRecoveryCommands(services: TreeServices): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.recoverSession", () => showRecovery(services)),
    register("synapse.writeHandOff", () => writeHandOff(services)),
    register("synapse.diagnose", () => showDiagnosis(services)),
  );
}

async function showRecovery({ cli, pages }: TreeServices): Promise<void> {
  const root = await cli.requireRoot();
  const recovery = root && (await cli.requestJson<RecoveryReport>(root, "recover"));
  if (recovery) {
    await pages.showMarkdown(vscode.l10n.t("Session"), recoveryPage(recovery));
  }
}

/** Shows the hand-off for the next session, then writes it if accepted. */
async function writeHandOff({ cli, proposals }: TreeServices): Promise<void> {
  const root = await cli.requireRoot();
  const preview = root && (await cli.requestText(root, "handoff", "--dry-run"));
  if (!root || !preview) {
    return;
  }
  const isWanted = await proposals.confirm({
    title: vscode.l10n.t("Hand-off"),
    after: preview,
    question: vscode.l10n.t("Leave this for the session that comes next?"),
    acceptLabel: vscode.l10n.t("Write Hand-off"),
  });
  const handOff = isWanted ? await cli.requestJson<HandOffReport>(root, "handoff") : undefined;
  if (handOff?.path) {
    const file = vscode.Uri.joinPath(vscode.Uri.file(root), handOff.path);
    await vscode.commands.executeCommand("vscode.open", file, { preview: true });
  }
}

async function showDiagnosis({ cli, pages }: TreeServices): Promise<void> {
  const root = await cli.requireRoot();
  const title = vscode.l10n.t("Looking at hooks, rules, sessions and memories …");
  const location = vscode.ProgressLocation.Notification;
  const report =
    root &&
    (await vscode.window.withProgress({ location, title }, () =>
      cli.requestText(root, "diagnose", "--format", "markdown"),
    ));
  if (report) {
    await pages.showMarkdown(vscode.l10n.t("Diagnosis"), report);
  }
}
