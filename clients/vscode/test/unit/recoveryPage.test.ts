import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecoveryReport } from "../../src/recovery/recoveryPage.ts";
import { decisionTitle, recoveryPage } from "../../src/recovery/recoveryPage.ts";

const RECOVERY: RecoveryReport = {
  session: "s1",
  agent: "dev",
  bracket: "CRITICAL",
  remaining: 12.4,
  counters: { compactions: 3, critical_streak: 2 },
  decision: { action: "spawn", reasons: [{ why: "The history was compacted 3 times." }] },
  continuation: ".synapse/continuation/latest.md",
  level2: { title: "Claude Code", command: "claude 'Read it'", say: "Begin a new session." },
};

test("the page says what to do, why, and how a new session is begun", () => {
  const page = recoveryPage(RECOVERY);
  assert.match(page, /^# Begin a new session$/m);
  assert.match(page, /- The history was compacted 3 times\./);
  assert.match(page, /CRITICAL: 12\.4% of the window is left/);
  assert.match(page, /@dev is at work/);
  assert.match(page, /The hand-off is in .synapse\/continuation\/latest.md/);
  assert.match(page, /## To begin anew in Claude Code/);
  assert.match(page, /```text\nclaude 'Read it'\n```/);
});

test("without a hand-off the page says how to write one", () => {
  const page = recoveryPage({ ...RECOVERY, agent: "", continuation: null });
  assert.match(page, /No hand-off was written yet/);
  assert.doesNotMatch(page, /is at work/);
});

test("each decision has its words", () => {
  const said = (action: RecoveryReport["decision"]["action"]): string =>
    decisionTitle({ ...RECOVERY, decision: { action, reasons: [] } });
  assert.equal(said("continue"), "Go on in this session");
  assert.equal(said("handoff"), "Write a hand-off soon");
});
