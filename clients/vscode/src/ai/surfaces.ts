/** All that the extension offers to chats and models. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import type { Server } from "../server";
import { languageModelTools } from "./languageModelTools";
import { mcpRegistration } from "./mcpRegistration";
import { participant } from "./participant";
import { ServerFacts } from "./serverFacts";
import { toolsOf } from "./tools";

export function aiSurfaces(
  { extension }: vscode.ExtensionContext,
  server: Server,
  tree: CurrentTree,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const facts = new ServerFacts(server, tree);
  const tools = toolsOf(extension.packageJSON.contributes.languageModelTools, facts);
  return vscode.Disposable.from(
    participant(facts, tools, log),
    languageModelTools(tools),
    mcpRegistration(server),
  );
}
