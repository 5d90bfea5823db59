import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { createOnigScanner, createOnigString, loadWASM } from "vscode-oniguruma";
import { type IGrammar, INITIAL, parseRawGrammar, Registry } from "vscode-textmate";

const root = process.cwd();
const read = (...parts: readonly string[]): string =>
  readFileSync(path.join(root, ...parts), "utf8");
const contributed: readonly { readonly scopeName: string; readonly path: string }[] = JSON.parse(
  read("package.json"),
).contributes.grammars;

let registry: Registry;

before(async () => {
  const wasm = readFileSync(path.join(root, "node_modules/vscode-oniguruma/release/onig.wasm"));
  await loadWASM(new Uint8Array(wasm).buffer);
  registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: async (scope) => {
      const file = contributed.find(({ scopeName }) => scopeName === scope)?.path;
      return file === undefined ? null : parseRawGrammar(read(file), file);
    },
  });
});

/** The words of each line that have a scope of their own, as `word:scope`; the shared end is left out. */
async function scopes(scope: string, text: string): Promise<string[]> {
  const grammar = (await registry.loadGrammar(scope)) as IGrammar;
  let stack = INITIAL;
  return text.split("\n").flatMap((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return tokens
      .filter(({ scopes: found }) => found.length > 1)
      .map(({ startIndex, endIndex, scopes: found }) => {
        const own = (found.at(-1) ?? "").replace(/\.synapse(\.block)?$/, "");
        return `${line.slice(startIndex, endIndex).trim()}:${own}`;
      })
      .filter((token) => !token.startsWith(":") && !/:(?:punctuation|meta)\./.test(token));
  });
}

const synapse = (text: string): Promise<string[]> => scopes("source.synapse", text);

test("a key of the manifest is a domain and a setting, whatever words the domain has", async () => {
  assert.deepEqual(await synapse("AGENT_DEV_AGENT_TRIGGER=dev"), [
    "AGENT_DEV:entity.name.namespace",
    "AGENT_TRIGGER:variable.other.property",
    "=:keyword.operator.assignment",
    "dev:string.unquoted.word",
  ]);
});

test("the text of a rule is text, in which an editor suggests nothing unasked; its key is none", async () => {
  const grammar = (await registry.loadGrammar("source.synapse")) as IGrammar;
  const isText = (line: string, word: string): boolean | undefined =>
    grammar
      .tokenizeLine(line, INITIAL)
      .tokens.find(({ startIndex, endIndex }) => line.slice(startIndex, endIndex).includes(word))
      ?.scopes.includes("meta.text.synapse");
  assert.equal(isText("GLOBAL_RULE_0=Ask an agent", "agent"), true);
  assert.equal(isText("CONTEXT_RULE_FRESH_0=Ask an agent", "agent"), true);
  assert.equal(isText("- Ask an agent", "agent"), true);
  assert.equal(isText("GLOBAL_RULE_0=Ask an agent", "GLOBAL"), false);
  assert.equal(isText("domain", "domain") ?? false, false);
});

test("a state, a list and a number each look like one", async () => {
  assert.deepEqual((await synapse("A_STATE=active")).at(-1), "active:constant.language");
  assert.deepEqual((await synapse("A_RECALL=unit test, sql")).slice(-2), [
    "unit test:string.unquoted.item",
    "sql:string.unquoted.item",
  ]);
  assert.deepEqual((await synapse("A_EVERY_N_TURNS=5")).at(-1), "5:constant.numeric");
});

test("every setting of the manifest is known, and nothing else is taken for one", async () => {
  const grammar = read("syntaxes/manifest.tmLanguage.json");
  const named = [...grammar.matchAll(/\(_\)\(([A-Z_|]+)\)/g)].flatMap((match) =>
    (match[1] ?? "").split("|"),
  );
  const table = read("../../server/synapse_ls/formats/manifest_settings.py");
  const known = [...table.matchAll(/^ {4}"([A-Z_]+)": SettingKind\(/gm)].map(
    (match) => match[1] ?? "",
  );
  assert.deepEqual([...named, "DEVMODE", "GLOBAL_EXCLUDE"].sort(), known.sort());
  assert.equal((await synapse("A_STAET=active")).length, 0);
});

test("a note behind a value is a comment", async () => {
  assert.equal(
    (await synapse("DEVMODE=true # for now")).at(-1),
    "for now:comment.line.number-sign",
  );
});

test("a comment that silences the linter shows what it silences", async () => {
  assert.deepEqual(await synapse("# synapse: ignore-next-line[SYN105] why"), [
    "synapse::storage.type.directive",
    "ignore-next-line:keyword.control.directive",
    "SYN105:constant.other.code",
    "why:comment.line.number-sign",
  ]);
  assert.deepEqual((await synapse("GLOBAL_RULE_0=Do # synapse: ignore[a]")).slice(-3), [
    "synapse::storage.type.directive",
    "ignore:keyword.control.directive",
    "a:constant.other.code",
  ]);
});

test("a rule has a key, and in its text agents, commands and severities stand out", async () => {
  assert.deepEqual(await synapse("AGENT_DEV_AUTH_0=NEVER push; ask @devops or *brief (MUST)"), [
    "AGENT_DEV:entity.name.namespace",
    "AUTH:keyword.other.rule",
    "0:constant.numeric.index",
    "=:keyword.operator.assignment",
    "NEVER:keyword.control.authority",
    "@devops:entity.name.type.agent",
    "*brief:entity.name.function.command",
    "MUST:keyword.other.severity",
  ]);
});

test("a pattern, a path and an address are no commands and no agents", async () => {
  assert.deepEqual(
    (await synapse("GLOBAL_RULE_0=Specs trace to FR-*, NFR-* or a@b.c; use @/x")).length,
    4,
  );
});

test("a rule of a phase names the phase", async () => {
  assert.deepEqual((await synapse("A_RULE_1=Phase qa_review: Check")).slice(4), [
    "Phase:keyword.other.phase",
    "qa_review:entity.name.tag.phase",
  ]);
});

test("an article has a title with a severity, then rules", async () => {
  const found = await synapse("CONSTITUTION_RULE_ART1_0=CLI First (NON-NEGOTIABLE)");
  assert.ok(found.includes("ART1:constant.other.article"));
  assert.ok(found.includes("CLI First:markup.heading.article"));
  assert.ok(found.includes("NON-NEGOTIABLE:keyword.other.severity"));
  const rule = await synapse("CONSTITUTION_RULE_ART1_1=All of it");
  assert.ok(!rule.some((token) => token.includes("markup.heading")));
});

test("a rule of a bracket names the bracket, in each of its shapes", async () => {
  for (const line of [
    "CONTEXT_RULE_FRESH_0=x",
    "FRESH_RULE_0=x",
    "FRESH_RULES=true",
    "When context is FRESH: x",
  ]) {
    assert.ok((await synapse(line)).includes("FRESH:constant.language.bracket"), line);
  }
});

test("a star-command is one in its header and in its keys", async () => {
  const header = await synapse("# [*threat-model] COMMAND:");
  assert.ok(header.includes("*threat-model:entity.name.function.command"));
  const rule = await synapse("COMMANDS_RULE_THREAT_MODEL_0=List");
  assert.ok(rule.includes("THREAT_MODEL:entity.name.function.command"));
});

test("plain text has headings, lists and fences, and no keys", async () => {
  const found = await synapse("## Testing\n- NEVER skip `npm test`\n```\nA_STATE=active\n```");
  assert.ok(found.includes("Testing:markup.heading"));
  assert.ok(found.includes("NEVER:keyword.control.authority"));
  assert.ok(found.includes("`npm test`:markup.inline.raw.string"));
  assert.ok(!found.some((token) => token.includes("property")));
});

test("every line of the example tree that has a key is coloured by it", async () => {
  const folder = "../../tests/workspaces/showcase/.synapse";
  for (const name of ["manifest", "constitution", "context", "commands", "agent-dev", "money"]) {
    for (const line of read(folder, name).split("\n")) {
      if (/^[A-Z]\w*=/.test(line)) {
        const found = await synapse(line);
        assert.ok(found.includes("=:keyword.operator.assignment"), `${name}: ${line}`);
      }
    }
  }
});

test("a line costs in proportion to its length", async () => {
  async function cost(words: number): Promise<number> {
    const start = process.cpuUsage();
    await synapse(`A_RECALL=${"word, ".repeat(words)}`);
    await synapse("A_".repeat(2 * words));
    const { user, system } = process.cpuUsage(start);
    return user + system;
  }
  await cost(4_000); // the grammar is compiled with the first line
  const short = Math.min(await cost(4_000), await cost(4_000));
  const long = Math.min(await cost(20_000), await cost(20_000));
  assert.ok(long < 15 * short, `${long / short} × as long for 5 × the length`);
});

test("the block has headings, tags and what was cut", async () => {
  const block = await scopes(
    "text.synapse.block",
    "<synapse-rules>\n[ACTIVE AGENT: @dev]\n  AUTHORITY BOUNDARIES:\n    - NEVER push\n  … 2 more: A_RULE_0",
  );
  assert.ok(block.includes("synapse-rules:entity.name.tag"));
  assert.ok(block.includes("[ACTIVE AGENT: @dev]:markup.heading"));
  assert.ok(block.includes("AUTHORITY BOUNDARIES:keyword.other.label"));
  assert.ok(block.includes("NEVER:keyword.control.authority"));
  assert.ok(
    block.some((token) => token.startsWith("… 2 more") || token.endsWith("comment.line.cut")),
  );
});
