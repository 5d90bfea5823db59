import assert from "node:assert/strict";
import { test } from "node:test";
import { Restarts } from "../../src/restarts.ts";

test("a server that dies is started again, but not for ever", () => {
  const restarts = new Restarts();
  const allowed = [0, 1, 2, 3, 4].map((second) => restarts.allow(second * 1000));
  assert.deepEqual(allowed, [true, true, true, true, false]);
});

test("deaths that lie minutes apart do not add up", () => {
  const restarts = new Restarts();
  for (let minute = 0; minute < 30; minute += 1) {
    assert.equal(restarts.allow(minute * 60_000), true);
  }
});

test("a restart by hand begins anew", () => {
  const restarts = new Restarts();
  for (let second = 0; second < 5; second += 1) {
    restarts.allow(second * 1000);
  }
  restarts.forget();
  assert.equal(restarts.allow(6000), true);
});
