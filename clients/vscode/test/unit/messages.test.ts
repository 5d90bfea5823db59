import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { showWarning } from "../../src/text/messages.ts";
import { window } from "./vscodeStub.ts";

const source = path.join(process.cwd(), "src");

test("what a repository says in a message is no link", async () => {
  await showWarning("There is no [x](command:y).");
  assert.deepEqual(window.messages, ["There is no [x] (command:y)."]);
});

test("one module shows messages", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  const showing = files
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => /show\w+Message\b/.test(readFileSync(path.join(source, name), "utf8")));
  assert.deepEqual(showing, ["text/messages.ts"]);
});
