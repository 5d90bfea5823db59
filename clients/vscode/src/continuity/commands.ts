/** From one session to the next: how it stands, what is handed on, and a report on everything. */

import * as vscode from "vscode";
import type { Desk } from "../desk";
import { recoveryPage } from "./recoveryPage";
import type { HandOff, Recovery } from "./reports";

export function continuityCommands(desk: Desk): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.recoverSession", () => recover(desk)),
    register("synapse.writeHandOff", () => handOff(desk)),
    register("synapse.diagnose", () => diagnose(desk)),
  );
}

async function recover({ cli, pages }: Desk): Promise<void> {
  const root = await cli.root();
  const found = root && (await cli.ask<Recovery>(root, "recover"));
  if (found) {
    await pages.showMarkdown(vscode.l10n.t("Session"), recoveryPage(found));
  }
}

/** What would be written is shown first; agents of the next session are told of it. */
async function handOff({ cli, proposals }: Desk): Promise<void> {
  const root = await cli.root();
  const planned = root && (await cli.text(root, "handoff", "--dry-run"));
  if (!root || !planned) {
    return;
  }
  const isWanted = await proposals.ask({
    title: vscode.l10n.t("Hand-off"),
    after: planned,
    question: vscode.l10n.t("Leave this for the session that comes next?"),
    yes: vscode.l10n.t("Write Hand-off"),
  });
  const written = isWanted ? await cli.ask<HandOff>(root, "handoff") : undefined;
  if (written?.path) {
    const file = vscode.Uri.joinPath(vscode.Uri.file(root), written.path);
    await vscode.commands.executeCommand("vscode.open", file, { preview: true });
  }
}

async function diagnose({ cli, pages }: Desk): Promise<void> {
  const root = await cli.root();
  const title = vscode.l10n.t("Looking at hooks, rules, sessions and memories …");
  const location = vscode.ProgressLocation.Notification;
  const report =
    root &&
    (await vscode.window.withProgress({ location, title }, () =>
      cli.text(root, "diagnose", "--format", "markdown"),
    ));
  if (report) {
    await pages.showMarkdown(vscode.l10n.t("Diagnosis"), report);
  }
}
