import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const root = path.resolve(process.cwd());
const LANGUAGES = ["pt-br", "es"];
const MESSAGE = /\bl10n\.t\(\s*("(?:[^"\\\\]|\\\\.)*")/g;

function read(...parts: readonly string[]): string {
  return readFileSync(path.join(root, ...parts), "utf8");
}

function strings(...parts: readonly string[]): Record<string, string> {
  return JSON.parse(read(...parts));
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\d+\}|`[^`]*`|\(command:[^)]*\)|\$\([^)]*\)/g)].map(String).sort();
}

function messages(): string[] {
  const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => /\.tsx?$/.test(name)).map((name) => read("src", name));
  const found = sources.flatMap((text) => [...text.matchAll(MESSAGE)].map((match) => match[1]));
  return [...new Set(found.map((literal) => JSON.parse(literal ?? '""') as string))].sort();
}

function references(): string[] {
  const text = read("package.json");
  return [...new Set([...text.matchAll(/"%([^%"]+)%"/g)].map((match) => match[1] ?? ""))].sort();
}

test("each message is a literal, so that it can be found", () => {
  const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" });
  for (const name of files.filter((file) => file.endsWith(".ts"))) {
    const calls = [...read("src", name).matchAll(/\bl10n\.t\(/g)].length;
    assert.equal([...read("src", name).matchAll(MESSAGE)].length, calls, name);
  }
});

test("the manifest and its strings name the same keys", () => {
  assert.deepEqual(Object.keys(strings("package.nls.json")).sort(), references());
});

for (const language of LANGUAGES) {
  test(`every string of the manifest is there in ${language}`, () => {
    const english = strings("package.nls.json");
    const other = strings(`package.nls.${language}.json`);
    assert.deepEqual(Object.keys(other).sort(), Object.keys(english).sort());
    for (const [key, text] of Object.entries(english)) {
      assert.deepEqual(placeholders(other[key] ?? ""), placeholders(text), key);
    }
  });

  test(`the pages that strings name are there in ${language}`, () => {
    const pages = Object.entries(strings(`package.nls.${language}.json`)).filter(([key]) =>
      key.endsWith(".media"),
    );
    assert.notDeepEqual(pages, []);
    for (const [key, page] of pages) {
      assert.ok(page.endsWith(`.${language}.md`) && existsSync(path.join(root, page)), key);
    }
  });

  test(`every message is there in ${language}, and no other`, () => {
    const other = strings("l10n", `bundle.l10n.${language}.json`);
    assert.deepEqual(Object.keys(other).sort(), messages());
    for (const [message, text] of Object.entries(other)) {
      assert.deepEqual(placeholders(text), placeholders(message), message);
    }
  });
}

test("no command of the extension has the name of one of the server, which the client registers", () => {
  const table = read("..", "..", "server", "synapse_ls", "lsp", "feature_table.py");
  const ofServer = [...table.matchAll(/"(synapse\.\w+)"/g)].map((match) => match[1]);
  const commands = JSON.parse(read("package.json")).contributes.commands;
  const own = commands.map(({ command }: { command: string }) => command);
  assert.ok(ofServer.length > 10);
  assert.deepEqual(
    own.filter((name: string) => ofServer.includes(name)),
    [],
  );
});
