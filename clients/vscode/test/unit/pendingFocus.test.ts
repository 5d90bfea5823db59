import assert from "node:assert/strict";
import { test } from "node:test";
import { PendingFocus } from "../../src/panel/pendingFocus.ts";

test("a focus request is used once", () => {
  const focus = new PendingFocus(() => 0);
  assert.equal(focus.consume(), false);
  focus.request();
  assert.deepEqual([focus.consume(), focus.consume()], [true, false]);
});

test("a cancelled focus request has no effect", () => {
  const focus = new PendingFocus(() => 0);
  focus.request();
  focus.cancel();
  assert.equal(focus.consume(), false);
});

test("an expired focus request has no effect", () => {
  let now = 0;
  const focus = new PendingFocus(() => now);
  focus.request();
  now = 2_500;
  assert.equal(focus.consume(), false);
});
