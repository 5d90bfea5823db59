import assert from "node:assert/strict";
import { test } from "node:test";
import { comparisonView, stateLabel } from "../../src/panel/comparisonView.ts";
import { panelNotice } from "../../src/panel/panelNotice.ts";
import { panelPage } from "../../src/panel/panelPage.ts";
import { parsePanelState, parseSimulation, simulationParams } from "../../src/panel/panelState.ts";
import { fileName } from "../../src/panel/ruleViews.ts";
import { simulationFields } from "../../src/panel/simulationFields.ts";
import type {
  Choices,
  ComparedBlock,
  Comparison,
  CurrentSession,
  SituationPart,
  Status,
} from "../../src/protocol.ts";
import { LatestRequest } from "../../src/server/latestRequest.ts";
import { entry, status } from "./panelAnswers.ts";
import { partly } from "./partialValue.ts";

// What is tried out

test("request parameters contain simulation and tree", () => {
  assert.deepEqual(simulationParams({ prompt: "go", remaining: 20 }, "file:///ws"), {
    prompt: "go",
    remaining: 20,
    uri: "file:///ws",
  });
});

test("a command argument is parsed field by field, without invalid values", () => {
  const given = { uri: "file:///ws/x", agent: "dev", bracket: "", squad: 3, other: "x" };
  assert.deepEqual(parseSimulation(given), { agent: "dev" });
  assert.deepEqual(parseSimulation(undefined), {});
});

test("an empty session id means a new session", () => {
  assert.deepEqual(parseSimulation({ session: "", remaining: 0 }), { session: "", remaining: 0 });
});

test("a remaining share outside of 0 to 100 is ignored", () => {
  assert.deepEqual(parseSimulation({ remaining: 101 }), {});
});

test("a stored state is parsed field by field", () => {
  const saved = {
    simulation: { agent: "dev" },
    tab: "block",
    kept: { simulation: { bracket: "FRESH" }, label: "FRESH" },
    folded: { simulate: true, odd: "x" },
  };
  assert.deepEqual(parsePanelState(saved), { ...saved, folded: { simulate: true } });
  assert.deepEqual(parsePanelState("nonsense"), {
    simulation: {},
    tab: "layers",
    kept: undefined,
    folded: {},
  });
});

// The form

const choices = partly<Choices>({
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
});
const options = (name: string, form: ReturnType<typeof simulationFields>) =>
  form.fields.find((field) => field.name === name)?.options.map(({ label }) => label);

test("each list begins with the current value", () => {
  const form = simulationFields(
    choices,
    { ...status, agent: partly<SituationPart>({ id: "dev" }) },
    {},
  );
  assert.deepEqual(options("agent", form), ["@dev (now)", "none", "@dev (Engineer)", "@qa"]);
  assert.deepEqual(options("workflow", form), ["none (now)", "story-development", "hotfix"]);
  assert.deepEqual(options("bracket", form), ["By the window left", "FRESH (60–100% left)"]);
});

test("an active value can be simulated as none", () => {
  const now = partly<Status>({
    ...status,
    workflow: { id: "w" },
    task: { id: "review" },
    squad: { id: "etl" },
  });
  const form = simulationFields(choices, now, {});
  assert.deepEqual(options("task", form), ["review (now)", "none"]);
  assert.deepEqual(options("squad", form), ["etl (now)", "none"]);
  assert.equal(options("workflow", form)?.[1], "none");
  assert.equal(
    stateLabel({ workflow: "none", squad: "none" }, "FRESH"),
    "FRESH · no workflow · no squad",
  );
});

test("a field without options is left out", () => {
  const names = simulationFields(choices, status, {}).fields.map(({ name }) => name);
  assert.deepEqual(names, ["bracket", "agent", "workflow"]);
});

test("the phases are those of the workflow, in any spelling of it", () => {
  const now = partly<Status>({
    ...status,
    workflow: { id: "story_development", phase: "draft" },
  });
  assert.deepEqual(options("phase", simulationFields(choices, now, {})), [
    "draft (now)",
    "draft",
    "qa_review",
  ]);
  const tried = simulationFields(choices, now, { workflow: "hotfix" });
  assert.deepEqual(options("phase", tried), ["draft (now)", "patch"]);
});

test("with a session a new one can be simulated", () => {
  const session = partly<CurrentSession>({ id: "s1", title: "Refunds" });
  const form = simulationFields(choices, { ...status, session }, {});
  assert.deepEqual(options("session", form), ["Refunds (now)", "A new one"]);
  assert.equal(form.fields.find(({ name }) => name === "session")?.options[1]?.value, "");
});

// Two states

const compared = (given: Partial<Comparison>): Comparison =>
  partly<Comparison>({
    before: { bracket: "FRESH", budget: 800, tokens: 700 },
    after: { bracket: "FRESH", budget: 800, tokens: 650 },
    added: [],
    removed: [],
    changed: [],
    ...given,
  });

test("a comparison lists the rules that only one state has", () => {
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

test("a comparison shows a change of the bracket", () => {
  const after = partly<ComparedBlock>({ bracket: "CRITICAL", budget: 2500, tokens: 800 });
  assert.equal(comparisonView("x", compared({ after })).delta, "FRESH → CRITICAL · +100 tokens");
});

test("two states with the same rules say so", () => {
  assert.match(comparisonView("x", compared({})).same, /^The same rules/);
});

test("a state is labelled by its bracket and its simulated values", () => {
  assert.equal(stateLabel({ prompt: "go", agent: "dev" }, "FRESH"), "FRESH · @dev · “go”");
  assert.equal(stateLabel({ session: "" }, "FRESH"), "FRESH · new session");
  assert.equal(stateLabel({}, "FRESH"), "FRESH · as it is now");
  assert.equal(stateLabel({ prompt: "x".repeat(90) }, "FRESH"), `FRESH · “${"x".repeat(39)}…”`);
});

// Notices

test("without a block the panel shows reason and actions", () => {
  const actions = ["install", "log"] as const;
  const failure = { problem: "No Python.", remedy: "Install it.", actions };
  const stopped = panelNotice({ kind: "stopped", failure }, false, false);
  assert.equal(stopped?.text, "No Python.");
  assert.deepEqual(
    stopped?.actions.map(({ action }) => action),
    ["install", "log"],
  );
  const none = panelNotice({ kind: "running" }, false, true);
  assert.equal(none?.actions[0]?.action, "newTree");
});

test("the panel reports a missing tree only after the server has answered", () => {
  assert.equal(panelNotice({ kind: "running" }, false, false)?.busy, true);
  assert.equal(panelNotice({ kind: "starting" }, false, false)?.busy, true);
  assert.equal(panelNotice({ kind: "running" }, true, true), undefined);
});

// The page

test("the page allows its own script and style, and nothing else", () => {
  const page = panelPage({
    source: "S",
    script: "p.js",
    style: "p.css",
    nonce: "N",
    language: "en",
  });
  assert.match(page, /content="default-src 'none'; style-src S; script-src 'nonce-N'"/);
  assert.doesNotMatch(page, /unsafe|<script>|style=/);
});

test("the name of a file is its last part, decoded where that can be done", () => {
  assert.equal(fileName("file:///ws/caf%C3%A9"), "café");
  assert.equal(fileName("file:///ws/100%"), "100%");
});

// Newest wins

test("an overtaken request is aborted", async () => {
  const signals: AbortSignal[] = [];
  const newest = new LatestRequest(async (signal) => {
    signals.push(signal);
  });
  await newest.start();
  await newest.start();
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  );
});

test("of requests in quick succession only the last is started", async () => {
  let asked = 0;
  await new Promise<void>((resolve) => {
    const newest = new LatestRequest(async () => {
      asked += 1;
      resolve();
    });
    newest.schedule(0);
    newest.schedule(0);
    newest.schedule(1);
  });
  assert.equal(asked, 1);
});
