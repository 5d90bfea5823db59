import assert from "node:assert/strict";
import { test } from "node:test";
import { mcpServerOf } from "../../src/ai/mcp";
import type { Launch } from "../../src/launch";

const launch: Launch = {
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

test("a server that can is started as it was for the editor, with its own arguments", () => {
  assert.deepEqual(mcpServerOf(launch, able), {
    command: "python3",
    args: ["-I", "/bundle", "mcp", "--stdio"],
  });
});

test("a server that says nothing of it is not one", () => {
  for (const experimental of [undefined, null, {}, { mcp: {} }, { mcp: { args: "mcp" } }]) {
    assert.equal(mcpServerOf(launch, experimental), undefined);
  }
});

test("in a folder that is not trusted nothing is registered", () => {
  assert.equal(mcpServerOf({ ...launch, trusted: false }, able), undefined);
  assert.equal(mcpServerOf(undefined, able), undefined);
});
