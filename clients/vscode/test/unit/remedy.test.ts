import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, choose } from "../../src/interpreter.ts";
import { type Failure, failureOf } from "../../src/remedy.ts";

async function failure(answers: Record<string, Answer>): Promise<Failure> {
  const tried = Object.keys(answers).map((command) => ({ command, args: [] }));
  return failureOf(
    await choose(tried, async ({ command }) => answers[command] ?? { kind: "absent" }),
  );
}

test("the problem names each interpreter and what is wrong with it", async () => {
  const { problem } = await failure({
    python3: { kind: "answered", python: "3.9.2", server: "" },
    python: { kind: "absent" },
    broken: { kind: "failed", detail: "segmentation fault" },
  });
  assert.equal(
    problem,
    "Synapse is not running: no Python 3.11 or newer with synapse-ls was found. " +
      "Tried python3 (Python 3.9.2 is too old), python (not found), broken (could not be run).",
  );
});

test("where Python is new enough the remedy is one command", async () => {
  const { remedy } = await failure({
    python3: { kind: "answered", python: "3.9.2", server: "" },
    "/opt/bin/python": { kind: "answered", python: "3.12.1", server: "" },
  });
  assert.equal(remedy, 'Run: /opt/bin/python -m pip install "synapse-ls>=0.1.0"');
});

test("an old server is brought up to date by the same command", async () => {
  const { problem, remedy } = await failure({
    python3: { kind: "answered", python: "3.12.1", server: "0.0.1" },
  });
  assert.match(problem, /python3 \(synapse-ls 0\.0\.1 is too old\)/);
  assert.match(remedy, /^Run: python3 -m pip install/);
});

test("where there is no such Python the remedy names the setting", async () => {
  const { remedy } = await failure({ python3: { kind: "absent" } });
  assert.match(remedy, /^Install Python 3\.11 or newer .* synapse\.interpreter\.$/);
});
