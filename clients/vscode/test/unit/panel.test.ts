import assert from "node:assert/strict";
import { test } from "node:test";
import { comparisonView, labelOf } from "../../src/panel/comparison.ts";
import { formOf } from "../../src/panel/form.ts";
import { Newest } from "../../src/panel/newest.ts";
import { noticeOf } from "../../src/panel/notice.ts";
import { pageOf } from "../../src/panel/page.ts";
import { nameIn } from "../../src/panel/rules.ts";
import { questionOf, savedIn, simulationIn } from "../../src/panel/simulation.ts";
import type { Choices, Comparison } from "../../src/protocol.ts";
import { entry, status } from "./panelAnswers.ts";

// What is tried out

test("a question has what is tried out and the tree", () => {
  assert.deepEqual(questionOf({ prompt: "go", remaining: 20 }, "file:///ws"), {
    prompt: "go",
    remaining: 20,
    uri: "file:///ws",
  });
});

test("the argument of a lens is a situation, without what is none", () => {
  const given = { uri: "file:///ws/x", agent: "dev", bracket: "", squad: 3, other: "x" };
  assert.deepEqual(simulationIn(given), { agent: "dev" });
  assert.deepEqual(simulationIn(undefined), {});
});

test("a new session is a choice of its own", () => {
  assert.deepEqual(simulationIn({ session: "", remaining: 0 }), { session: "", remaining: 0 });
});

test("a share outside of the window is none", () => {
  assert.deepEqual(simulationIn({ remaining: 101 }), {});
});

test("what was remembered is read field by field", () => {
  const saved = {
    simulation: { agent: "dev" },
    tab: "block",
    kept: { simulation: { bracket: "FRESH" }, label: "FRESH" },
    folded: { simulate: true, odd: "x" },
  };
  assert.deepEqual(savedIn(saved), { ...saved, folded: { simulate: true } });
  assert.deepEqual(savedIn("nonsense"), {
    simulation: {},
    tab: "layers",
    kept: undefined,
    folded: {},
  });
});

// The form

const choices: Choices = {
  brackets: [{ name: "FRESH", label: "60–100%", floor: 60, budget: 800 }],
  agents: [
    { id: "dev", title: "Engineer" },
    { id: "qa", title: "" },
  ],
  workflows: [
    { id: "story-development", title: "", phases: ["draft", "qa_review"] },
    { id: "hotfix", title: "", phases: ["patch"] },
  ],
  tasks: [],
  stories: [],
  squads: [],
  commands: [],
  articles: [],
};
const options = (name: string, form: ReturnType<typeof formOf>) =>
  form.fields.find((field) => field.name === name)?.options.map(({ label }) => label);

test("each list begins with how it is now", () => {
  const form = formOf(choices, { ...status, agent: { id: "dev" } }, {});
  assert.deepEqual(options("agent", form), ["@dev (now)", "none", "@dev (Engineer)", "@qa"]);
  assert.deepEqual(options("workflow", form), ["none (now)", "story-development", "hotfix"]);
  assert.deepEqual(options("bracket", form), ["By the window left", "FRESH (60–100% left)"]);
});

test("what is active can be tried out as none, though the tree has no other", () => {
  const now = { ...status, workflow: { id: "w" }, task: { id: "review" }, squad: { id: "etl" } };
  const form = formOf(choices, now, {});
  assert.deepEqual(options("task", form), ["review (now)", "none"]);
  assert.deepEqual(options("squad", form), ["etl (now)", "none"]);
  assert.equal(options("workflow", form)?.[1], "none");
  assert.equal(
    labelOf({ workflow: "none", squad: "none" }, "FRESH"),
    "FRESH · no workflow · no squad",
  );
});

test("what a tree does not have cannot be chosen", () => {
  const names = formOf(choices, status, {}).fields.map(({ name }) => name);
  assert.deepEqual(names, ["bracket", "agent", "workflow"]);
});

test("the phases are those of the workflow, in any spelling of it", () => {
  const now = { ...status, workflow: { id: "story_development", phase: "draft" } };
  assert.deepEqual(options("phase", formOf(choices, now, {})), [
    "draft (now)",
    "draft",
    "qa_review",
  ]);
  const tried = formOf(choices, now, { workflow: "hotfix" });
  assert.deepEqual(options("phase", tried), ["draft (now)", "patch"]);
});

test("where there is a session a new one can be tried out", () => {
  const session = { id: "s1", title: "Refunds" };
  const form = formOf(choices, { ...status, session }, {});
  assert.deepEqual(options("session", form), ["Refunds (now)", "A new one"]);
  assert.equal(form.fields.find(({ name }) => name === "session")?.options[1]?.value, "");
});

// Two states

const compared = (given: Partial<Comparison>): Comparison => ({
  before: { bracket: "FRESH", budget: 800, tokens: 700 },
  after: { bracket: "FRESH", budget: 800, tokens: 650 },
  added: [],
  removed: [],
  changed: [],
  ...given,
});

test("a comparison lists what only one of the states has", () => {
  const view = comparisonView("FRESH", compared({ added: [entry("A", "new")] }));
  assert.equal(view.title, "Compared with: FRESH");
  assert.equal(view.delta, "−50 tokens");
  assert.deepEqual(
    view.lists.map(({ label, sign, rules }) => [label, sign, rules.map(({ text }) => text)]),
    [["Only now", "+", ["new"]]],
  );
});

test("a changed line has its old text in the tooltip", () => {
  const changed = [{ before: entry("A", "old"), after: entry("A", "new") }];
  const [list] = comparisonView("x", compared({ changed })).lists;
  assert.match(list?.rules[0]?.title ?? "", /\nbefore: old$/);
});

test("a comparison of other brackets says so", () => {
  const after = { bracket: "CRITICAL", budget: 2500, tokens: 800 };
  assert.equal(comparisonView("x", compared({ after })).delta, "FRESH → CRITICAL · +100 tokens");
});

test("two states with the same rules say so", () => {
  assert.match(comparisonView("x", compared({})).same, /^The same rules/);
});

test("a state that is kept is called by its bracket and what is tried out", () => {
  assert.equal(labelOf({ prompt: "go", agent: "dev" }, "FRESH"), "FRESH · @dev · “go”");
  assert.equal(labelOf({ session: "" }, "FRESH"), "FRESH · new session");
  assert.equal(labelOf({}, "FRESH"), "FRESH · as it is now");
  assert.equal(labelOf({ prompt: "x".repeat(90) }, "FRESH"), `FRESH · “${"x".repeat(39)}…”`);
});

// Notices

test("without a block the panel says why, and what to do", () => {
  const actions = ["install", "log"] as const;
  const failure = { problem: "No Python.", remedy: "Install it.", actions };
  const stopped = noticeOf({ kind: "stopped", failure }, false, false);
  assert.equal(stopped?.text, "No Python.");
  assert.deepEqual(
    stopped?.actions.map(({ action }) => action),
    ["install", "log"],
  );
  const none = noticeOf({ kind: "running" }, false, true);
  assert.equal(none?.actions[0]?.action, "newTree");
});

test("nobody is told that there is no tree before the server has said so", () => {
  assert.equal(noticeOf({ kind: "running" }, false, false)?.busy, true);
  assert.equal(noticeOf({ kind: "starting" }, false, false)?.busy, true);
  assert.equal(noticeOf({ kind: "running" }, true, true), undefined);
});

// The page

test("the page allows its own script and style, and nothing else", () => {
  const page = pageOf({ source: "S", script: "p.js", style: "p.css", nonce: "N", language: "en" });
  assert.match(page, /content="default-src 'none'; style-src S; script-src 'nonce-N'"/);
  assert.doesNotMatch(page, /unsafe|<script>|style=/);
});

test("the name of a file is its last part, decoded where that can be done", () => {
  assert.equal(nameIn("file:///ws/caf%C3%A9"), "café");
  assert.equal(nameIn("file:///ws/100%"), "100%");
});

// Newest wins

test("a question that is overtaken is told so", async () => {
  const signals: AbortSignal[] = [];
  const newest = new Newest(async (signal) => {
    signals.push(signal);
  });
  await newest.now();
  await newest.now();
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
});

test("of questions in quick succession only the last is asked", async () => {
  let asked = 0;
  await new Promise<void>((resolve) => {
    const newest = new Newest(async () => {
      asked += 1;
      resolve();
    });
    newest.soon(0);
    newest.soon(0);
    newest.soon(1);
  });
  assert.equal(asked, 1);
});
