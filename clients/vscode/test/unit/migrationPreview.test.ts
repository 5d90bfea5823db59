import assert from "node:assert/strict";
import { test } from "node:test";
import type { MigrationReport } from "../../src/migration/migrationPreview.ts";
import { migrationNotes, migrationPreview } from "../../src/migration/migrationPreview.ts";

const MIGRATION: MigrationReport = {
  changes: [
    {
      path: ".synapse/global",
      action: "create",
      why: ".carl/global",
      diff: "--- /dev/null\n+++ b/.synapse/global\n@@ -0,0 +1,1 @@\n+GLOBAL_RULE_0=Be brief\n",
    },
    {
      path: "CLAUDE.md",
      action: "change",
      why: "",
      diff: "--- a/CLAUDE.md\n+++ b/CLAUDE.md\n@@ -1,2 +1,2 @@\n # Ours\n-CARL\n+Synapse\n",
    },
  ],
  mentions: [{ path: ".synapse/commands", line: 74, text: "*carl helps" }],
  remarks: [{ path: ".carl/manifest", line: 0, sentence: "It has no STATE." }],
  removals: [".carl"],
  parity: {
    asked: 132,
    differences: [],
    form: [{ sentence: "`<carl-rules>` becomes `<synapse-rules>`." }],
  },
};

test("each file of a migration is shown as it is and as it would be", () => {
  const { before, after } = migrationPreview(MIGRATION);
  const head = "# .synapse/global: a new file (.carl/global)";
  assert.ok(before.includes(`${head}\n\n`) && after.includes(`${head}\nGLOBAL_RULE_0=Be brief`));
  assert.ok(before.includes("# CLAUDE.md\n# Ours\nCARL"));
  assert.ok(after.includes("# CLAUDE.md\n# Ours\nSynapse"));
});

test("notes on changes for agents and on work left stand above the files", () => {
  const { before, after } = migrationPreview(MIGRATION);
  const first = "# Asked 132 questions, agents get the same rules for each.";
  assert.ok(before.startsWith(first) && after.startsWith(first));
  assert.deepEqual(migrationNotes(MIGRATION).slice(1), [
    "  `<carl-rules>` becomes `<synapse-rules>`.",
    ".carl/manifest: It has no STATE.",
    ".synapse/commands:74 still talks of CARL: *carl helps",
  ]);
});

test("differences are counted and listed", () => {
  const parity = { asked: 3, differences: [{ subject: "coverage", why: "X is told." }], form: [] };
  assert.deepEqual(migrationNotes({ ...MIGRATION, parity, mentions: [], remarks: [] }), [
    "Asked 3 questions, agents get 1 differently.",
    "  coverage: X is told.",
  ]);
  assert.deepEqual(migrationNotes({ ...MIGRATION, parity: null, mentions: [], remarks: [] }), []);
});
