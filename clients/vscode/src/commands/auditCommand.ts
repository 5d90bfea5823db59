/** This module registers "Audit Past Sessions", which shows which rules were followed and broken. */

import * as vscode from "vscode";
import { auditPage } from "../documents/auditPage";
import { audit } from "../protocol";
import type { TreeServices } from "./treeServices";

/** Days that an audit looks back. */
const DAYS = 30;

export function registerAuditCommand({ executor, pages }: TreeServices): vscode.Disposable {
  return vscode.commands.registerCommand("synapse.audit", async () => {
    const uri = await executor.requireRoot();
    if (uri === undefined) {
      return;
    }
    const found = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Window,
        title: vscode.l10n.t("Synapse reads past sessions"),
      },
      () => executor.query((server) => server.request(audit, { uri, days: DAYS })),
    );
    if (found !== undefined) {
      await pages.showMarkdown(vscode.l10n.t("Are the rules followed?"), auditPage(found));
    }
  });
}
