/** The composition root: what the extension consists of, and who tells whom. */

import * as vscode from "vscode";
import { aiSurfaces } from "./ai/surfaces";
import { treeCommands } from "./commands/commands";
import { contextKeys } from "./contextKeys";
import { CurrentTree } from "./currentTree";
import { adoptRuleFiles } from "./documents";
import { hookCommands } from "./hooks/commands";
import { lifecycle } from "./lifecycle";
import { newTree } from "./newTree";
import { Pages } from "./pages";
import { ContextPanel } from "./panel/panel";
import { Pins } from "./pins";
import { Preview } from "./preview";
import { ProblemNotice } from "./problem";
import { Proposals } from "./proposal";
import { PythonExtensions } from "./pythonExtensions";
import { Resolver } from "./resolve";
import { Server } from "./server";
import { ServerStatusItem } from "./serverStatusItem";
import { StatusItem } from "./statusItem";
import { Testing } from "./testing/testing";
import { treeWork } from "./treeWork";
import { views } from "./views/views";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const home = context.extensionPath;
  const log = vscode.window.createOutputChannel("Synapse", { log: true });
  const extensions = new PythonExtensions(log);
  const running = new Server(log, home, new Resolver(home, extensions, log));
  server = running;
  const notice = new ProblemNotice(running);
  const tree = new CurrentTree(running, log);
  const preview = new Preview(running);
  const proposals = new Proposals();
  const pages = new Pages();
  const pins = new Pins(context.workspaceState, running, log);

  const previewContext = async (): Promise<void> => {
    if (tree.root !== undefined) {
      await preview.open(tree.root);
    } else if (running.state.kind === "stopped") {
      await notice.show();
    } else {
      const none = vscode.l10n.t("There is no Synapse rule tree in this folder.");
      await vscode.window.showInformationMessage(none);
    }
  };

  context.subscriptions.push(
    log,
    extensions,
    running,
    notice,
    tree,
    pins,
    new StatusItem(running, tree),
    new ContextPanel(context.extensionUri, context.workspaceState, running, tree, log),
    new ServerStatusItem(running),
    contextKeys(running, tree),
    views(running, tree),
    new Testing(running, log),
    treeCommands(running, tree, pins, pages),
    preview,
    proposals,
    pages,
    adoptRuleFiles(),
    aiSurfaces(context, running, tree, log),
    hookCommands(running, tree, proposals, pages, context.globalState, home),
    treeWork(running, tree, proposals, pages, home),
    newTree(running, home, proposals, () => tree.root),
    vscode.commands.registerCommand("synapse.previewContext", previewContext),
    lifecycle(context, running, notice, extensions, log),
  );
  // Not waited for: a server that takes its time is no part of our activation.
  void running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
