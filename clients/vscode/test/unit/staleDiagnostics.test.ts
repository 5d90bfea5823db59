import assert from "node:assert/strict";
import { test } from "node:test";
import { staleResultIds } from "../../src/server/staleDiagnostics.ts";

const known = [{ uri: "file:///manifest", value: "1" }];

test("a file that is shown but not tracked gets a stale result id", () => {
  const [only, ...others] = staleResultIds(known, ["file:///manifest", "file:///gone"]);
  assert.equal(only?.uri, "file:///gone");
  assert.notEqual(only?.value, "");
  assert.deepEqual(others, []);
});

test("tracked files get no stale result id", () => {
  assert.deepEqual(staleResultIds(known, ["file:///manifest"]), []);
});
