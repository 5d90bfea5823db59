/** This module is the composition root: it creates the parts of the extension and connects them. */

import * as path from "node:path";
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
import { showInformation } from "./text/messages";
import { registerViews } from "./views/sideBarViews";
import { ChatFolder } from "./workspace/chatFolder";
import { updateContextKeys } from "./workspace/contextKeys";
import { CurrentTree } from "./workspace/currentTree";
import { assignRuleFileLanguage, isServed } from "./workspace/documentSelector";
import { registerTreeCreation } from "./workspace/treeCreation";

/** This module is in `dist/`. */
const extensionPath = path.dirname(__dirname);
const log = vscode.window.createOutputChannel("Synapse", { log: true });
const extensions = new PythonExtensions(log);
const server = new Server(log, extensionPath, new LaunchResolver(extensionPath, extensions, log));
// Between reading this module and calling `activate` VS Code asks the window for what the extension has stored
// there. A window that is just opened takes its time, in which Python starts.
server.prepare();

/** Milliseconds; no longer does VS Code wait itself. */
const LONGEST_ACTIVATION = 1_000;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const notice = new FailureNotice(server);
  const chats = new ChatFolder(context.storageUri);
  const tree = new CurrentTree(server, chats, log);
  const preview = new ContextPreview(server);
  const panel = new ContextPanel(context.extensionUri, context.workspaceState, server, tree, log);
  const proposals = new Proposals();
  const pages = new MarkdownPages();
  const pins = new PinnedSessions(context.workspaceState, server, log);

  const previewContext = async (): Promise<void> => {
    if (tree.root !== undefined) {
      await preview.open(tree.root, panel.shownSimulation);
    } else if (server.state.kind === "stopped") {
      await notice.show();
    } else {
      const none = vscode.l10n.t("There is no Synapse rule tree in this folder.");
      await showInformation(none);
    }
  };

  context.subscriptions.push(
    log,
    extensions,
    server,
    notice,
    chats,
    tree,
    pins,
    new ContextStatusItem(server, tree),
    panel,
    new ServerStatusItem(server),
    new InstructionStatusItem(),
    updateContextKeys(server, tree),
    registerViews(server, tree),
    new TreeTests(server, log),
    registerTreeCommands(server, tree, pins, proposals, pages, extensionPath),
    preview,
    proposals,
    pages,
    assignRuleFileLanguage(),
    registerAiFeatures(context, server, tree, log),
    registerHookCommands(server, tree, proposals, pages, context.globalState, extensionPath),
    registerTreeCreation(server, extensionPath, proposals, () => tree.root),
    vscode.commands.registerCommand("synapse.previewContext", previewContext),
    registerServerCommands(context, server, notice, extensions, log),
  );
  void server.start();
  if (vscode.workspace.textDocuments.some(isServed)) {
    await firstFindings();
  }
}

/**
 * Waits for what the person looks at, the findings of an open file. Extensions that every window starts, as that of Git,
 * are loaded when those of the open file are done: what they read and compile blocks this process for longer than
 * a server needs to answer.
 */
async function firstFindings(): Promise<void> {
  let subscription: vscode.Disposable | undefined;
  await new Promise<void>((resolve) => {
    subscription = vscode.Disposable.from(
      server.onDidReceiveFindings(resolve),
      server.onDidChangeState(({ kind }) => kind === "stopped" && resolve()),
    );
    setTimeout(resolve, LONGEST_ACTIVATION);
  });
  subscription?.dispose();
}

export async function deactivate(): Promise<void> {
  await server.stop();
}
