/** Whether the server can be started as one of the Model Context Protocol, and how. Pure. */

import type { Launch } from "../launch";

/** What a server that can says of it in `capabilities.experimental` of `initialize`. */
export interface Experimental {
  readonly mcp?: {
    /** What starts it, in the place of `serve`. */
    readonly args: readonly string[];
  };
}

export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** Undefined where the server cannot, or where its folder is not trusted. */
export function mcpServerOf(
  launch: Launch | undefined,
  experimental: unknown,
): McpServer | undefined {
  const args = (experimental as Experimental | undefined)?.mcp?.args;
  return launch?.trusted && Array.isArray(args)
    ? { command: launch.command, args: [...launch.args, ...args.map(String)] }
    : undefined;
}
