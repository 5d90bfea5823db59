import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const source = path.join(process.cwd(), "src");
const LIBRARY = /languageclient|jsonrpc|^\.\/languageClient$/;

test("only one module imports the client library, and it is loaded with the server", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  const loading = files
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => {
      const text = readFileSync(path.join(source, name), "utf8");
      const imports = [...text.matchAll(/^(?:im|ex)port (?!type )[^;]*? from "([^"]+)";/gms)];
      return imports.some(([, from]) => LIBRARY.test(from ?? ""));
    });
  assert.deepEqual(loading, ["server/languageClient.ts"]);
});
