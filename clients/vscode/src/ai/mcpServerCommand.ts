/**
 * This module builds the command line that starts the server as an MCP server, if it can be one.
 * Pure.
 */

import type { ServerLaunch } from "../server/launchCommand";

/** What a server that supports MCP announces in `capabilities.experimental` of `initialize`. */
export interface ExperimentalCapabilities {
  readonly mcp?: {
    /** The arguments that start the MCP server, instead of `serve`. */
    readonly args: readonly string[];
  };
}

export interface McpServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Returns the command line; undefined where the server has no MCP or the folder is not trusted. */
export function mcpServerCommand(
  launch: ServerLaunch | undefined,
  experimental: unknown,
): McpServerCommand | undefined {
  const args = (experimental as ExperimentalCapabilities | undefined)?.mcp?.args;
  return launch?.trusted && Array.isArray(args)
    ? { command: launch.command, args: [...launch.args, ...args.map(String)] }
    : undefined;
}
