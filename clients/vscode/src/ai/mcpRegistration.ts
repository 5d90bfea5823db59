/** Tells the editor of our MCP server, while there is one: VS Code by a provider, Cursor by name. */

import * as vscode from "vscode";
import type { Server } from "../server";
import { type McpServer, mcpServerOf } from "./mcp";
import { newer } from "./newer";

const NAME = "synapse";
/** In `contributes.mcpServerDefinitionProviders`, which holds while this key of the context does. */
const PROVIDER = "synapse.mcp";

export function mcpRegistration(server: Server): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  let current: McpServer | undefined;
  let provider: vscode.Disposable | undefined;

  const follow = (): void => {
    const { connection, launch } = server;
    const capabilities = connection?.initializeResult?.capabilities;
    const able = connection && mcpServerOf(launch, capabilities?.experimental);
    const found = inFirstFolder(able);
    if (JSON.stringify(found) === JSON.stringify(current)) {
      return;
    }
    current = found;
    void vscode.commands.executeCommand("setContext", PROVIDER, found !== undefined);
    provider ??= provide(changed.event, () => current && definitionOf(current, server.version));
    tellCursor(found);
    changed.fire();
  };
  return vscode.Disposable.from(
    changed,
    server.onDidChangeState(follow),
    vscode.workspace.onDidChangeWorkspaceFolders(follow),
    new vscode.Disposable(() => {
      provider?.dispose();
      if (current !== undefined) {
        tellCursor(undefined);
      }
    }),
  );
}

function provide(
  changed: vscode.Event<void>,
  current: () => object | undefined,
): vscode.Disposable | undefined {
  return newer.lm?.registerMcpServerDefinitionProvider?.(PROVIDER, {
    onDidChangeMcpServerDefinitions: changed,
    provideMcpServerDefinitions: () => {
      const definition = current();
      return definition === undefined ? [] : [definition];
    },
  });
}

/** It is told which folder it is about: not every editor starts it there. */
function inFirstFolder(server: McpServer | undefined): McpServer | undefined {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return server && folder !== undefined
    ? { ...server, args: [...server.args, "--root", folder] }
    : server;
}

/** It works where the first folder is; what it is started with keeps that folder off its path. */
function definitionOf(
  { command, args }: McpServer,
  version: string | undefined,
): object | undefined {
  const Definition = newer.McpStdioServerDefinition;
  if (Definition === undefined) {
    return undefined;
  }
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri;
  return Object.assign(new Definition("Synapse", command, args, {}, version), { cwd });
}

function tellCursor(server: McpServer | undefined): void {
  const mcp = newer.cursor?.mcp;
  if (server === undefined) {
    mcp?.unregisterServer(NAME);
  } else {
    mcp?.registerServer({ name: NAME, server: { ...server, env: {} } });
  }
}
