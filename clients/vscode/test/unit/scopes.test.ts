import assert from "node:assert/strict";
import { test } from "node:test";
import { remainder, scopesFor } from "../../src/scopes.ts";

test("what is automatic is named in no settings any more", () => {
  const all = { globalValue: "/a", workspaceValue: "/b", workspaceFolderValue: "" };
  assert.deepEqual(scopesFor("", all), ["global", "workspace", "workspaceFolder"]);
  assert.deepEqual(scopesFor("", {}), []);
});

test("another interpreter is named where one is in use, else for the person", () => {
  assert.deepEqual(scopesFor("/c", { globalValue: "/a", workspaceValue: "/b" }), ["workspace"]);
  assert.deepEqual(scopesFor("/c", undefined), ["global"]);
});

test("settings that cannot be changed from here are told", () => {
  assert.equal(remainder({ globalValue: "/a" }), "The user settings still name /a.");
  assert.equal(
    remainder({ globalValue: "/a", workspaceValue: "" }),
    "The user settings still name /a.",
  );
  assert.equal(remainder({}), "");
});
