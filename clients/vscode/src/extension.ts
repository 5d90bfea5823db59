/** This module is the composition root: it creates the parts of the extension and connects them. */

import * as vscode from "vscode";
import { registerAiFeatures } from "./ai/aiFeatures";
import { PinnedSessions } from "./commands/pinnedSessions";
import { registerTreeCommands } from "./commands/treeCommands";
import { ContextPreview } from "./documents/contextPreview";
import { MarkdownPages } from "./documents/markdownPages";
import { Proposals } from "./documents/proposals";
import { registerHookCommands } from "./hooks/hookCommands";
import { ContextPanel } from "./panel/contextPanel";
import { FailureNotice } from "./server/failureNotice";
import { LaunchResolver } from "./server/launchResolver";
import { PythonExtensions } from "./server/pythonExtensions";
import { Server } from "./server/server";
import { registerServerCommands } from "./server/serverCommands";
import { ContextStatusItem } from "./status/contextStatusItem";
import { InstructionStatusItem, ServerStatusItem } from "./status/serverStatusItem";
import { TreeTests } from "./testing/treeTests";
import { registerViews } from "./views/sideBarViews";
import { ChatFolder } from "./workspace/chatFolder";
import { updateContextKeys } from "./workspace/contextKeys";
import { CurrentTree } from "./workspace/currentTree";
import { assignRuleFileLanguage } from "./workspace/documentSelector";
import { registerTreeCreation } from "./workspace/treeCreation";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const extensionPath = context.extensionPath;
  const log = vscode.window.createOutputChannel("Synapse", { log: true });
  const extensions = new PythonExtensions(log);
  const runningServer = new Server(
    log,
    extensionPath,
    new LaunchResolver(extensionPath, extensions, log),
  );
  server = runningServer;
  const notice = new FailureNotice(runningServer);
  const chats = new ChatFolder(context.storageUri);
  const tree = new CurrentTree(runningServer, chats, log);
  const preview = new ContextPreview(runningServer);
  const proposals = new Proposals();
  const pages = new MarkdownPages();
  const pins = new PinnedSessions(context.workspaceState, runningServer, log);

  const previewContext = async (): Promise<void> => {
    if (tree.root !== undefined) {
      await preview.open(tree.root);
    } else if (runningServer.state.kind === "stopped") {
      await notice.show();
    } else {
      const none = vscode.l10n.t("There is no Synapse rule tree in this folder.");
      await vscode.window.showInformationMessage(none);
    }
  };

  context.subscriptions.push(
    log,
    extensions,
    runningServer,
    notice,
    chats,
    tree,
    pins,
    new ContextStatusItem(runningServer, tree),
    new ContextPanel(context.extensionUri, context.workspaceState, runningServer, tree, log),
    new ServerStatusItem(runningServer),
    new InstructionStatusItem(),
    updateContextKeys(runningServer, tree),
    registerViews(runningServer, tree),
    new TreeTests(runningServer, log),
    registerTreeCommands(runningServer, tree, pins, proposals, pages, extensionPath),
    preview,
    proposals,
    pages,
    assignRuleFileLanguage(),
    registerAiFeatures(context, runningServer, tree, log),
    registerHookCommands(runningServer, tree, proposals, pages, context.globalState, extensionPath),
    registerTreeCreation(runningServer, extensionPath, proposals, () => tree.root),
    vscode.commands.registerCommand("synapse.previewContext", previewContext),
    registerServerCommands(context, runningServer, notice, extensions, log),
  );
  // Not waited for: a server that takes its time is no part of our activation.
  void runningServer.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
