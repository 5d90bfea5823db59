/** Waits for the server's command line, and says so; where there is none, why is told. */

import * as vscode from "vscode";
import type { Launch } from "./launch";
import { launched } from "./launched";
import type { Server } from "./server";

export async function awaitLaunch(server: Server): Promise<Launch | undefined> {
  const title = vscode.l10n.t("Synapse is starting.");
  const launch =
    server.launch ??
    (await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title },
      () => launched(server),
    ));
  if (launch === undefined) {
    await vscode.commands.executeCommand("synapse.showProblem");
  }
  return launch;
}
