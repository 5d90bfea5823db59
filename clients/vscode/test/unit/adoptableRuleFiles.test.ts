import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { panelNotice } from "../../src/panel/panelNotice.ts";
import { ADOPTABLE_RULE_FILES } from "../../src/workspace/adoptableRuleFiles.ts";

test("the folders that a tree can be made from are those that the server reads", () => {
  const source = readFileSync("../../server/synapse_ls/setup/init/rule_sources.py", "utf8");
  const [, list = ""] = /_RULE_FOLDERS = \(([^)]*)\)/.exec(source) ?? [];
  assert.deepEqual(
    [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name),
    ADOPTABLE_RULE_FILES.slice(ADOPTABLE_RULE_FILES.indexOf(".agents/rules")),
  );
});

test("a folder that has rules for agents can start from these", () => {
  const actions = (source: string) => {
    const notice = panelNotice({ kind: "running" }, false, true, source);
    return notice?.actions.map(({ action, label }) => `${action}: ${label}`);
  };
  assert.deepEqual(actions("CLAUDE.md"), ["adopt: Start from CLAUDE.md", "newTree: Create One"]);
  assert.deepEqual(actions(""), ["newTree: Create One"]);
});
