import assert from "node:assert/strict";
import { test } from "node:test";
import { splitDiff } from "../../src/text/unifiedDiff.ts";

test("a diff is shown as the texts before and after", () => {
  const diff =
    "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n {\n--- old\n+++ new\n }\n\\ No newline at end of file\n";
  assert.deepEqual(splitDiff(diff), { before: "{\n-- old\n}", after: "{\n++ new\n}" });
});

test("a new file has nothing before it", () => {
  const diff = "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+{\n+}\n";
  assert.deepEqual(splitDiff(diff), { before: "", after: "{\n}" });
});

test("parts of a file that lie apart are shown apart", () => {
  const diff = "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n c\n";
  assert.deepEqual(splitDiff(diff), { before: "a\n⋯\nc", after: "b\n⋯\nc" });
});
