import assert from "node:assert/strict";
import { test } from "node:test";
import { remainingValueMessage, scopesToChange } from "../../src/server/interpreterSettings.ts";

test("the automatic choice clears every scope that has a value", () => {
  const all = { globalValue: "/a", workspaceValue: "/b", workspaceFolderValue: "" };
  assert.deepEqual(scopesToChange("", all), ["global", "workspace", "workspaceFolder"]);
  assert.deepEqual(scopesToChange("", {}), []);
});

test("another interpreter is written to the scope in use, else to the user settings", () => {
  assert.deepEqual(scopesToChange("/c", { globalValue: "/a", workspaceValue: "/b" }), [
    "workspace",
  ]);
  assert.deepEqual(scopesToChange("/c", undefined), ["global"]);
});

test("a remaining value in the settings is reported", () => {
  assert.equal(remainingValueMessage({ globalValue: "/a" }), "The user settings still name /a.");
  assert.equal(
    remainingValueMessage({ globalValue: "/a", workspaceValue: "" }),
    "The user settings still name /a.",
  );
  assert.equal(remainingValueMessage({}), "");
});
