import assert from "node:assert/strict";
import { test } from "node:test";
import { Restarts } from "../../src/restarts.ts";

test("a server that dies is started at once, then with growing patience, but not for ever", () => {
  const restarts = new Restarts();
  const pauses = [0, 1, 2, 3, 4, 5].map((second) => restarts.pause(second * 1000));
  assert.deepEqual(pauses, [0, 1_000, 4_000, 10_000, undefined, undefined]);
});

test("deaths that lie minutes apart do not add up", () => {
  const restarts = new Restarts();
  for (let minute = 0; minute < 30; minute += 3) {
    assert.equal(restarts.pause(minute * 60_000), 0);
  }
});

test("a restart by hand begins anew", () => {
  const restarts = new Restarts();
  for (let second = 0; second < 5; second += 1) {
    restarts.pause(second * 1000);
  }
  restarts.forget();
  assert.equal(restarts.pause(6000), 0);
});
