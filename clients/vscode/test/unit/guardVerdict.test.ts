import assert from "node:assert/strict";
import { test } from "node:test";
import { guardHeading, verdictItems } from "../../src/commands/guardVerdict.ts";
import type { Verdict } from "../../src/protocol.ts";

const RANGE = { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } };
const LOCATION = { uri: "file:///tree/.synapse/agent-dev", range: RANGE };
const DENIED: Verdict = {
  decision: "deny",
  agent: "dev",
  mode: "warn",
  what: "git push -f",
  reason: "AGENT_DEV_AUTH_0 (.synapse/agent-dev:3) forbids @dev “git push”; @devops may",
  delegate: "devops",
  policy: null,
  rule: { name: "AGENT_DEV_AUTH_0", pattern: "git push", location: LOCATION },
};

const labels = (verdict: Verdict): string[] =>
  verdictItems(verdict).map(({ label }) => label.replace(/^\$\(\S+\) /, ""));

test("a verdict comes with the boundary, who may, and what the guard would do", () => {
  assert.deepEqual(labels(DENIED), [
    "@dev is warned, and may run it",
    "AGENT_DEV_AUTH_0",
    "Have @devops do it",
    "Set to enforce, the guard stops it",
  ]);
  const [verdict, rule, remedy] = verdictItems(DENIED);
  assert.equal(verdict?.description, "git push -f");
  assert.match(verdict?.detail ?? "", /^AGENT_DEV_AUTH_0 .* forbids @dev/);
  assert.deepEqual(rule?.value, { location: LOCATION });
  assert.equal(rule?.description, "git push");
  assert.deepEqual(remedy?.value, { agent: "devops" });
});

test("in enforce mode the verdict is what happens", () => {
  const enforced = labels({ ...DENIED, mode: "enforce" });
  assert.deepEqual(enforced, ["@dev may not run it", "AGENT_DEV_AUTH_0", "Have @devops do it"]);
  assert.deepEqual(
    labels({ ...DENIED, decision: "ask", mode: "enforce" })[0],
    "A person is asked first",
  );
});

test("with the guard off the agent may run it", () => {
  assert.equal(labels({ ...DENIED, mode: "off" })[0], "@dev may run it: the guard is off");
});

test("a command without a boundary says so, and has no proposal", () => {
  const allowed = { ...DENIED, decision: "allow", reason: null, rule: null, what: null } as const;
  assert.deepEqual(labels(allowed), ["@dev may run it"]);
  assert.equal(verdictItems(allowed)[0]?.detail, "No boundary speaks of it");
});

test("an allowed command links to its boundary", () => {
  const allowed = { ...DENIED, decision: "allow", agent: "devops", reason: null } as const;
  assert.deepEqual(labels(allowed), ["@devops may run it", "AGENT_DEV_AUTH_0"]);
  assert.equal(verdictItems(allowed)[0]?.detail, "");
});

test('an "ask" verdict is left to a person, and no agent is delegated to itself', () => {
  const asked = { ...DENIED, decision: "ask", agent: null, delegate: null, rule: null } as const;
  assert.deepEqual(labels(asked), [
    "An agent is warned, and may run it",
    "Set to enforce, the guard has a person asked first",
  ]);
  assert.ok(!labels({ ...DENIED, agent: "devops" }).some((label) => label.includes("Have")));
});

test("the heading names the agent", () => {
  assert.equal(guardHeading("dev"), "May @dev Run…");
  assert.equal(guardHeading(null), "May the Agent Run…");
});
