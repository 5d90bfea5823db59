import assert from "node:assert/strict";
import { test } from "node:test";
import { forgotten } from "../../src/forgotten.ts";

const known = [{ uri: "file:///manifest", value: "1" }];

test("a file that is shown and not known is asked about anew", () => {
  const [only, ...others] = forgotten(known, ["file:///manifest", "file:///gone"]);
  assert.equal(only?.uri, "file:///gone");
  assert.notEqual(only?.value, "");
  assert.deepEqual(others, []);
});

test("where all is known nothing is added", () => {
  assert.deepEqual(forgotten(known, ["file:///manifest"]), []);
});
