import assert from "node:assert/strict";
import { test } from "node:test";
import type { SituationPart, Status, Usage } from "../../src/protocol.ts";
import type { ServerState } from "../../src/server/serverState.ts";
import { contextStatusView as viewAt } from "../../src/status/contextStatusText.ts";
import { formatPercent } from "../../src/text/situationTexts.ts";
import { partly } from "./partialValue.ts";

const contextStatusView = (state: ServerState, found: Status | undefined) =>
  viewAt(state, found, { now: Date.parse("2026-11-23T12:00:00Z"), locale: "en" });
const running: ServerState = { kind: "running" };
const status = partly<Status>({
  root: "file:///ws",
  profile: "synapse",
  bracket: "MODERATE",
  usage: { remaining: 52.5, source: "measured" },
  tokens: 730,
  budget: 1500,
  unbounded: false,
  agent: null,
  workflow: null,
  task: null,
  squad: null,
  cuts: 0,
  overBudget: false,
  hooks: [".claude/settings.json"],
  otherHooks: [],
  delivery: { last: "2026-11-22T12:03:00Z", client: "vscode", problem: null },
  session: null,
  notes: [],
});

test("the item shows the bracket, what is left of the window and what the next block costs", () => {
  assert.equal(
    contextStatusView(running, status)?.text,
    "$(layers) MODERATE · 52.5% left · 730 tokens",
  );
});

test("where nothing new would be injected the item says so", () => {
  const text = contextStatusView(running, { ...status, tokens: 0 })?.text;
  assert.equal(text, "$(layers) MODERATE · 52.5% left · nothing new");
});

test("the tooltip says which other engine's hook is called", () => {
  const otherHooks = ["the original engine in .claude/settings.json"];
  const tooltip = contextStatusView(running, { ...status, hooks: [], otherHooks })?.tooltip ?? "";
  assert.match(tooltip, /Agents get what the original engine in .claude\/settings.json injects/);
});

test("the item names the active agent", () => {
  const view = contextStatusView(running, {
    ...status,
    agent: partly<SituationPart>({ id: "dev" }),
  });
  assert.equal(view?.text, "$(layers) MODERATE · 52.5% left · @dev · 730 tokens");
});

test("an estimated percentage is marked so and has no decimals", () => {
  const usage = partly<Usage>({ remaining: 98.5, source: "estimated" });
  const view = contextStatusView(running, { ...status, usage });
  assert.match(view?.text ?? "", /~99% left/);
  assert.match(view?.tooltip ?? "", /Window: 99% left/);
});

test("a screen reader hears a sentence without icons", () => {
  assert.equal(
    contextStatusView(running, status)?.label,
    "Synapse: bracket MODERATE, 52.5% of the context window left, measured, no agent. " +
      "The next block has 730 of 1500 tokens.",
  );
});

test("a whole percentage is written without decimals", () => {
  assert.equal(formatPercent(100), "100");
  assert.equal(formatPercent(59.96), "60");
  assert.equal(formatPercent(0.25), "0.3");
});

test("the tooltip shows the size of the block and the active situation", () => {
  const tooltip = contextStatusView(running, {
    ...status,
    agent: partly<SituationPart>({ id: "dev" }),
    workflow: partly<SituationPart>({ id: "story", phase: "qa" }),
    task: partly<SituationPart>({ id: "login" }),
  })?.tooltip;
  assert.match(tooltip ?? "", /Next block: 730 of 1500 tokens/);
  assert.match(tooltip ?? "", /Agent: @dev/);
  assert.match(tooltip ?? "", /Workflow: story, qa/);
  assert.match(tooltip ?? "", /Task: login/);
});

test("the tooltip says what is odd, such as a tree that is not as it was pinned", () => {
  const notes = ["the tree is not as it was pinned: .synapse/global (changed)."];
  assert.match(
    contextStatusView(running, { ...status, notes })?.tooltip ?? "",
    /not as it was pinned: \.synapse\/global/,
  );
});

test("the tooltip says when rules do not fit", () => {
  assert.match(
    contextStatusView(running, { ...status, cuts: 3 })?.tooltip ?? "",
    /1500 tokens, 3 cut/,
  );
  assert.match(
    contextStatusView(running, { ...status, cuts: 3, overBudget: true })?.tooltip ?? "",
    /more than the budget/,
  );
});

test("missing values have no row", () => {
  assert.doesNotMatch(contextStatusView(running, status)?.tooltip ?? "", /Agent|Workflow|Task/);
});

test("names from a workspace cannot form links or markup in the tooltip", () => {
  const task = partly<SituationPart>({ id: "[x](command:evil)<img>" });
  const tooltip = contextStatusView(running, { ...status, task })?.tooltip ?? "";
  assert.match(tooltip, /\\\[x\\\]\\\(command:evil\\\)\\<img\\>/);
});

test("a click opens the panel", () => {
  assert.equal(contextStatusView(running, status)?.command, "synapse.showContext");
});

test("a folder without a tree has no item", () => {
  assert.equal(contextStatusView(running, undefined), undefined);
});

test("while the server starts the item says so", () => {
  assert.equal(contextStatusView({ kind: "starting" }, undefined)?.text, "$(loading~spin) Synapse");
});

test("when the server is not running the item shows problem and remedy", () => {
  const failure = { problem: "No Python.", remedy: "Install it.", actions: [] };
  const view = contextStatusView({ kind: "stopped", failure }, status);
  assert.equal(view?.label, "No Python. Install it.");
  assert.equal(view?.command, "synapse.showProblem");
  assert.equal(view?.isWarning, true);
});

test("while no agent calls the hook the tooltip offers to install it", () => {
  const offer = /No agent gets it yet\. \[Install Hook…\]\(command:synapse\.installHook\)/;
  assert.match(contextStatusView(running, { ...status, hooks: [] })?.tooltip ?? "", offer);
  assert.doesNotMatch(contextStatusView(running, status)?.tooltip ?? "", /Install Hook/);
  const served = partly<Status>({ ...status, hooks: [], session: { id: "s1", title: null } });
  assert.doesNotMatch(contextStatusView(running, served)?.tooltip ?? "", /Install Hook/);
});

const stuck = (code: string, last: string | null = null): Status => ({
  ...status,
  delivery: {
    last,
    client: last && "vscode",
    problem: { code, client: "vscode", sentence: "Something is wrong", remedy: "Mend it." },
  },
});

test("the tooltip says when the hook last handed something over", () => {
  const tooltip = contextStatusView(running, status)?.tooltip ?? "";
  assert.match(tooltip, /Last delivered: .*Nov 22.* \\\(VS Code Copilot Chat\\\)/);
});

test("a hook that cannot be started is a warning with what to do", () => {
  const view = contextStatusView(running, stuck("no-program"));
  assert.equal(view?.text, "$(warning) MODERATE · 52.5% left · last delivered: never");
  assert.equal(view?.isWarning, true);
  assert.match(view?.tooltip ?? "", /pipx install FOLDER.*Only me.*Install Hook…\]\(command:/);
  assert.match(view?.label ?? "", /cannot be started.*Only me/);
});

test("a prompt that called no hook is a warning, whatever was delivered before", () => {
  const view = contextStatusView(running, stuck("not-called", "2026-11-22T12:03:00Z"));
  assert.match(view?.text ?? "", /last delivered: Nov 22/);
  assert.match(view?.tooltip ?? "", /called no hook\\?\..*chat\\?\.useHooks/);
});

test("what only a newer server knows is shown in its words", () => {
  assert.match(
    contextStatusView(running, stuck("news"))?.label ?? "",
    /Something is wrong\. Mend it\./,
  );
});

test("a server that tells nothing of deliveries changes nothing", () => {
  const { delivery: _, ...older } = status;
  const view = contextStatusView(running, older as Status);
  assert.equal(view?.isWarning, false);
  assert.doesNotMatch(view?.tooltip ?? "", /Last delivered/);
});
