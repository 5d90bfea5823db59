import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, choose, type Origin } from "../../src/interpreter.ts";
import { type Failure, failureOf, unexpected } from "../../src/remedy.ts";

async function failure(answers: Record<string, Answer>, origin: Origin = "path"): Promise<Failure> {
  const candidates = Object.keys(answers).map((command) => ({ command, args: [] }));
  const choice = await choose(
    [{ origin, find: async () => candidates }],
    async ({ command }) => answers[command] ?? { kind: "absent" },
  );
  return failureOf(choice);
}

test("the problem names each interpreter that is there and what is wrong with it", async () => {
  const { problem } = await failure({
    python3: { kind: "answered", python: "3.9.2", server: "" },
    python: { kind: "absent" },
    broken: { kind: "failed", detail: "segmentation fault" },
  });
  assert.equal(
    problem,
    "Synapse is not running: no Python 3.11 or newer was found. " +
      "Tried python3 (Python 3.9.2 is too old), broken (could not be run).",
  );
});

test("where there is no Python at all no list of names is told", async () => {
  const { problem, remedy, actions } = await failure({ python3: { kind: "absent" } });
  assert.equal(problem, "Synapse is not running: there is no Python on the path.");
  assert.match(remedy, /^Install Python 3\.11 or newer, or choose an interpreter\./);
  assert.deepEqual(actions, ["interpreter", "retry", "install", "log"]);
});

test("an interpreter that the setting names is told of as such", async () => {
  const { problem, remedy, actions } = await failure({ "/opt/py": { kind: "absent" } }, "setting");
  assert.equal(
    problem,
    "Synapse is not running: the setting synapse.interpreter names /opt/py (not found).",
  );
  assert.match(remedy, /or empty the setting\.$/);
  assert.equal(actions[0], "interpreter");
});

test("each failure can be tried again", async () => {
  const failures = [
    await failure({ python3: { kind: "absent" } }),
    await failure({ "/opt/py": { kind: "absent" } }, "setting"),
    unexpected("It stops."),
  ];
  for (const { actions } of failures) {
    assert.ok(actions.includes("retry"));
  }
});

test("a server that fails by itself is for the log first", () => {
  assert.equal(unexpected("It stops.").actions[0], "log");
});
