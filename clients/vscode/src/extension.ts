/** The composition root: what the extension consists of, and who tells whom. */

import * as vscode from "vscode";
import { adoptRuleFiles } from "./documents";
import { Preview } from "./preview";
import { ProblemNotice } from "./problem";
import { Server } from "./server";
import { StatusItem } from "./statusItem";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("Synapse", { log: true });
  server = new Server(log, context.extensionPath);
  const running = server;
  const notice = new ProblemNotice(running);
  const item = new StatusItem(running, log);
  const preview = new Preview(running);

  const previewContext = async (): Promise<void> => {
    if (item.root !== undefined) {
      await preview.open(item.root);
    } else if (running.state.kind === "stopped") {
      await notice.show();
    } else {
      const none = vscode.l10n.t("There is no Synapse rule tree in this folder.");
      await vscode.window.showInformationMessage(none);
    }
  };

  const restart = async (): Promise<void> => {
    notice.forget();
    await running.start();
  };

  context.subscriptions.push(
    log,
    running,
    notice,
    item,
    preview,
    adoptRuleFiles(),
    vscode.commands.registerCommand("synapse.previewContext", previewContext),
    vscode.commands.registerCommand("synapse.restartServer", restart),
    vscode.commands.registerCommand("synapse.showLog", () => log.show()),
    vscode.commands.registerCommand("synapse.showProblem", () => notice.show()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("synapse.interpreter")) {
        void running.start();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.start()),
  );
  await running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
