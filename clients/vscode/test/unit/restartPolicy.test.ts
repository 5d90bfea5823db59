import assert from "node:assert/strict";
import { test } from "node:test";
import { LATER, RestartPolicy } from "../../src/server/restartPolicy.ts";

test("a server that dies is started at once, then with growing patience, and minutes later", () => {
  const restarts = new RestartPolicy();
  const pauses = [0, 1, 2, 3, 4, 5].map((second) => restarts.nextDelay(second * 1000));
  assert.deepEqual(pauses, [0, 1_000, 4_000, 10_000, LATER, LATER]);
});

test("deaths that lie minutes apart do not add up", () => {
  const restarts = new RestartPolicy();
  for (let minute = 0; minute < 30; minute += 3) {
    assert.equal(restarts.nextDelay(minute * 60_000), 0);
  }
});

test("a restart by hand begins anew", () => {
  const restarts = new RestartPolicy();
  for (let second = 0; second < 5; second += 1) {
    restarts.nextDelay(second * 1000);
  }
  restarts.reset();
  assert.equal(restarts.nextDelay(6000), 0);
});
