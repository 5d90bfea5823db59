import assert from "node:assert/strict";
import { test } from "node:test";
import { PendingFocus } from "../../src/panel/pendingFocus.ts";

test("the keyboard is put into the prompt once for each time that it is wanted", () => {
  const focus = new PendingFocus(() => 0);
  assert.equal(focus.take(), false);
  focus.want();
  assert.deepEqual([focus.take(), focus.take()], [true, false]);
});

test("a wish that is dropped is not granted when the tree arrives", () => {
  const focus = new PendingFocus(() => 0);
  focus.want();
  focus.drop();
  assert.equal(focus.take(), false);
});

test("a wish that has waited for seconds takes the keyboard from nobody", () => {
  let now = 0;
  const focus = new PendingFocus(() => now);
  focus.want();
  now = 2_500;
  assert.equal(focus.take(), false);
});
