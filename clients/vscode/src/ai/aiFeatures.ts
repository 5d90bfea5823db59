/**
 * This module registers everything the extension offers to chats and language models: participant,
 * tools, MCP.
 */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { CurrentTree } from "../workspace/currentTree";
import { registerParticipant } from "./chatParticipant";
import { registerMcpServer } from "./mcpRegistration";
import { modelTools } from "./modelTools";
import { registerModelTools } from "./toolRegistration";
import { ServerQueries } from "./treeQueries";

export function registerAiFeatures(
  { extension }: vscode.ExtensionContext,
  server: Server,
  tree: CurrentTree,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const facts = new ServerQueries(server, tree);
  const tools = modelTools(extension.packageJSON.contributes.languageModelTools, facts);
  return vscode.Disposable.from(
    registerParticipant(facts, tools, log),
    registerModelTools(tools),
    registerMcpServer(server),
  );
}
