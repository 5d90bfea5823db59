/**
 * This module registers our MCP server with the editor while it can run: by a provider in VS Code,
 * by name in Cursor.
 */

import * as vscode from "vscode";
import { environmentOutside, openFolders } from "../server/programSearch";
import type { Server } from "../server/server";
import { type McpServerCommand, mcpServerCommand } from "./mcpServerCommand";
import { optionalApi } from "./optionalApi";

const SERVER_NAME = "synapse";
/** In `contributes.mcpServerDefinitionProviders`, which holds while this key of the context does. */
const PROVIDER_ID = "synapse.mcp";

export function registerMcpServer(server: Server): vscode.Disposable {
  const changeEmitter = new vscode.EventEmitter<void>();
  let current: McpServerDefinition | undefined;
  let provider: vscode.Disposable | undefined;

  const updateRegistration = (): void => {
    const { connection, launch } = server;
    const capabilities = connection?.initializeResult?.capabilities;
    const command = connection && mcpServerCommand(launch, capabilities?.experimental);
    const definition = command && inOpenFolders(command);
    if (JSON.stringify(definition) === JSON.stringify(current)) {
      return;
    }
    current = definition;
    void vscode.commands.executeCommand("setContext", PROVIDER_ID, definition !== undefined);
    provider ??= registerProvider(
      changeEmitter.event,
      () => current && serverDefinition(current, server.version),
    );
    updateCursor(definition);
    changeEmitter.fire();
  };
  return vscode.Disposable.from(
    changeEmitter,
    server.onDidChangeState(updateRegistration),
    vscode.workspace.onDidChangeWorkspaceFolders(updateRegistration),
    new vscode.Disposable(() => {
      provider?.dispose();
      if (current !== undefined) {
        updateCursor(undefined);
      }
    }),
  );
}

function registerProvider(
  onDidChange: vscode.Event<void>,
  current: () => object | undefined,
): vscode.Disposable | undefined {
  return optionalApi.lm?.registerMcpServerDefinitionProvider?.(PROVIDER_ID, {
    onDidChangeMcpServerDefinitions: onDidChange,
    provideMcpServerDefinitions: () => {
      const definition = current();
      return definition === undefined ? [] : [definition];
    },
  });
}

interface McpServerDefinition extends McpServerCommand {
  readonly env: { readonly PATH: string };
}

/**
 * Adds the first folder as `--root`, since not every editor starts the server there, and the search
 * path outside of all folders.
 */
function inOpenFolders({ command, args }: McpServerCommand): McpServerDefinition {
  const root = openFolders().slice(0, 1);
  return {
    command,
    args: [...args, ...root.flatMap((folder) => ["--root", folder])],
    env: environmentOutside(),
  };
}

/** It works where the first folder is; what it is started with keeps that folder off its path. */
function serverDefinition(
  { command, args, env }: McpServerDefinition,
  version: string | undefined,
): object | undefined {
  const Definition = optionalApi.McpStdioServerDefinition;
  if (Definition === undefined) {
    return undefined;
  }
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri;
  return Object.assign(new Definition("Synapse", command, args, env, version), { cwd });
}

function updateCursor(server: McpServerDefinition | undefined): void {
  const mcp = optionalApi.cursor?.mcp;
  if (server === undefined) {
    mcp?.unregisterServer(SERVER_NAME);
  } else {
    mcp?.registerServer({ name: SERVER_NAME, server });
  }
}
