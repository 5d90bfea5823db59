import assert from "node:assert/strict";
import { test } from "node:test";
import { type ServerQueries as Queries, ServerQueries } from "../../src/ai/treeQueries";
import { workspace } from "./vscodeStub";

/** Questions to a server that answers with trees, one of which is not for models, and the parameters that it was sent. */
function askedServer(): [Queries, unknown[]] {
  const sent: unknown[] = [];
  const finding = { range: { start: { line: 1 } }, message: "Odd", code: "SYN101" };
  const items = ["a", "a/pkg", "b"].map((name) => ({
    uri: `file:///${name}/m`,
    items: [finding],
  }));
  const connection = {
    request: async ({ name }: { name: string }, params: { uri?: string }) => {
      sent.push(...(name.startsWith("synapse/") ? [params] : []));
      if (params.uri?.startsWith("file:///a/pkg")) {
        throw Object.assign(new Error("Nothing is served from this tree."), { code: -32803 });
      }
      return { root: "file:///a", accounts: [], items };
    },
  };
  return [new ServerQueries({ connection } as never, { root: "file:///a" } as never), sent];
}

test("of a tree in the tree that is not for models, its findings are not, either", async () => {
  const [queries] = askedServer();
  const uris = (await queries.findings()).map(({ uri }) => uri);
  assert.deepEqual(uris, ["file:///a/m"]);
});

test("each question says that a model gets the answer", async () => {
  const [queries, sent] = askedServer();
  await queries.context({ prompt: "Go on" });
  await queries.explain({});
  await queries.accountsByName("A_RULE_1");
  await queries.accountsAt({ uri: "file:///a/m", position: { line: 0, character: 0 } });
  await queries.findings();
  assert.equal(sent.length, 7);
  assert.ok(sent.every((params) => (params as { forModel?: boolean }).forModel));
});

test("a model is given nothing of a folder that is not trusted", async () => {
  const [queries, sent] = askedServer();
  workspace.isTrusted = false;
  await assert.rejects(() => Promise.resolve().then(() => queries.context({})), /is not trusted/);
  await assert.rejects(queries.findings(), /is not trusted/);
  workspace.isTrusted = true;
  assert.deepEqual(sent, []);
});
