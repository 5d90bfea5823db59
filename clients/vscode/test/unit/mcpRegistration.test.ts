/** In Cursor, our MCP server has the search path outside of the folders that are open now. */

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, test } from "node:test";
import { registerMcpServer } from "../../src/ai/mcpRegistration.ts";
import type { Server } from "../../src/server/server.ts";
import { partly } from "./partialValue.ts";
import { cursor, workspace } from "./vscodeStub.ts";

const searchPath = process.env.PATH;

afterEach(() => {
  process.env.PATH = searchPath;
  workspace.workspaceFolders = undefined;
});

test("a folder that is added leaves the search path of the server in Cursor", () => {
  const [first, second, tools] = ["first", "second", "tools"].map((n) => path.join(tmpdir(), n));
  process.env.PATH = [second, tools].join(path.delimiter);
  openFolders(first);
  const initializeResult = { capabilities: { experimental: { mcp: { args: ["mcp"] } } } };
  const registration = registerMcpServer(
    partly<Server>({
      launch: partly({ command: "python", args: [], trusted: true }),
      connection: partly({ initializeResult }),
      onDidChangeState: (listener: () => void) => {
        listener();
        return { dispose: () => undefined };
      },
    }),
  );
  openFolders(first, second);
  workspace.didChangeFolders();
  registration.dispose();
  const paths = cursor.mcp.servers.map(({ server }) => server.env.PATH);
  assert.deepEqual(paths, [[second, tools].join(path.delimiter), tools]);
});

function openFolders(...folders: (string | undefined)[]): void {
  workspace.workspaceFolders = folders.map((fsPath = "") => ({ uri: { fsPath } }));
}
