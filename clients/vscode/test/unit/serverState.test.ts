import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chooseInterpreter,
  type InterpreterOrigin,
  type ProbeAnswer,
} from "../../src/server/interpreterSearch.ts";
import {
  interpreterFailure,
  type StartFailure,
  serverFailure,
} from "../../src/server/serverState.ts";

async function failure(
  answers: Record<string, ProbeAnswer>,
  origin: InterpreterOrigin = "path",
): Promise<StartFailure> {
  const candidates = Object.keys(answers).map((command) => ({ command, args: [] }));
  const choice = await chooseInterpreter(
    [{ origin, findCandidates: async () => candidates }],
    async ({ command }) => answers[command] ?? { kind: "absent" },
  );
  return interpreterFailure(choice);
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

test("without any Python the failure lists no interpreter names", async () => {
  const { problem, remedy, actions } = await failure({ python3: { kind: "absent" } });
  assert.equal(problem, "Synapse is not running: there is no Python on the path.");
  assert.match(remedy, /^Install Python 3\.11 or newer, or choose an interpreter\./);
  assert.deepEqual(actions, ["interpreter", "retry", "install", "log"]);
});

test("an interpreter from the setting is named in the failure", async () => {
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
    serverFailure("It stops."),
  ];
  for (const { actions } of failures) {
    assert.ok(actions.includes("retry"));
  }
});

test("a server that crashes points to the log first", () => {
  assert.equal(serverFailure("It stops.").actions[0], "log");
});
