import assert from "node:assert/strict";
import { test } from "node:test";
import { mcpServerCommand } from "../../src/ai/mcpServerCommand";
import type { ServerLaunch } from "../../src/server/launchCommand";

const launch: ServerLaunch = {
  command: "python3",
  args: ["-I", "/bundle"],
  bundled: true,
  trusted: true,
  interpreter: {
    origin: "path",
    candidate: { command: "python3", args: [] },
    python: "3.12.1",
    server: "",
  },
};
const able = { mcp: { args: ["mcp", "--stdio"] } };

test("a server with MCP is started like the language server, with its own arguments", () => {
  assert.deepEqual(mcpServerCommand(launch, able), {
    command: "python3",
    args: ["-I", "/bundle", "mcp", "--stdio"],
  });
});

test("a server that announces no MCP is not registered", () => {
  for (const experimental of [undefined, null, {}, { mcp: {} }, { mcp: { args: "mcp" } }]) {
    assert.equal(mcpServerCommand(launch, experimental), undefined);
  }
});

test("in a folder that is not trusted nothing is registered", () => {
  assert.equal(mcpServerCommand({ ...launch, trusted: false }, able), undefined);
  assert.equal(mcpServerCommand(undefined, able), undefined);
});
