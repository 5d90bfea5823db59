import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../../src/protocol.ts";
import { percent } from "../../src/situation.ts";
import { type ServerState, viewOf } from "../../src/status.ts";

const running: ServerState = { kind: "running" };
const status: Status = {
  root: "file:///ws",
  profile: "synapse",
  bracket: "MODERATE",
  usage: { remaining: 52.5, source: "measured" },
  tokens: 730,
  budget: 1500,
  agent: null,
  workflow: null,
  task: null,
  squad: null,
  cuts: 0,
  overBudget: false,
  hooks: [".claude/settings.json"],
  session: null,
};

test("the item shows the bracket, what is left of the window and what the next block costs", () => {
  assert.equal(viewOf(running, status)?.text, "$(layers) MODERATE · 52.5% left · 730 tokens");
});

test("the item names the active agent", () => {
  const view = viewOf(running, { ...status, agent: { id: "dev" } });
  assert.equal(view?.text, "$(layers) MODERATE · 52.5% left · @dev · 730 tokens");
});

test("what is estimated is marked so, and not told to a decimal", () => {
  const usage = { remaining: 98.5, source: "estimated" };
  const view = viewOf(running, { ...status, usage });
  assert.match(view?.text ?? "", /~99% left/);
  assert.match(view?.tooltip ?? "", /Window: 99% left/);
});

test("a screen reader hears a sentence without icons", () => {
  assert.equal(
    viewOf(running, status)?.label,
    "Synapse: bracket MODERATE, 52.5% of the context window left, measured, no agent. " +
      "The next block has 730 of 1500 tokens.",
  );
});

test("a whole percentage is written without decimals", () => {
  assert.equal(percent(100), "100");
  assert.equal(percent(59.96), "60");
  assert.equal(percent(0.25), "0.3");
});

test("the tooltip says what the block costs and who is at work on what", () => {
  const tooltip = viewOf(running, {
    ...status,
    agent: { id: "dev" },
    workflow: { id: "story", phase: "qa" },
    task: { id: "login" },
  })?.tooltip;
  assert.match(tooltip ?? "", /Next block: 730 of 1500 tokens/);
  assert.match(tooltip ?? "", /Agent: @dev/);
  assert.match(tooltip ?? "", /Workflow: story, qa/);
  assert.match(tooltip ?? "", /Task: login/);
});

test("the tooltip says when rules do not fit", () => {
  assert.match(viewOf(running, { ...status, cuts: 3 })?.tooltip ?? "", /1500 tokens, 3 cut/);
  assert.match(
    viewOf(running, { ...status, cuts: 3, overBudget: true })?.tooltip ?? "",
    /more than the budget/,
  );
});

test("what is not there has no row", () => {
  assert.doesNotMatch(viewOf(running, status)?.tooltip ?? "", /Agent|Workflow|Task/);
});

test("names from a workspace cannot form links or markup in the tooltip", () => {
  const task = { id: "[x](command:evil)<img>" };
  const tooltip = viewOf(running, { ...status, task })?.tooltip ?? "";
  assert.match(tooltip, /\\\[x\\\]\\\(command:evil\\\)\\<img\\>/);
});

test("a click opens the panel", () => {
  assert.equal(viewOf(running, status)?.command, "synapse.showContext");
});

test("a folder without a tree has no item", () => {
  assert.equal(viewOf(running, undefined), undefined);
});

test("while the server starts the item says so", () => {
  assert.equal(viewOf({ kind: "starting" }, undefined)?.text, "$(loading~spin) Synapse");
});

test("when the server is not running the item tells problem and remedy", () => {
  const failure = { problem: "No Python.", remedy: "Install it.", actions: [] };
  const view = viewOf({ kind: "stopped", failure }, status);
  assert.equal(view?.label, "No Python. Install it.");
  assert.equal(view?.command, "synapse.showProblem");
  assert.equal(view?.alarming, true);
});

test("while no agent calls the hook the tooltip offers to install it", () => {
  const offer = /No agent gets it yet\. \[Install Hook…\]\(command:synapse\.installHook\)/;
  assert.match(viewOf(running, { ...status, hooks: [] })?.tooltip ?? "", offer);
  assert.doesNotMatch(viewOf(running, status)?.tooltip ?? "", /Install Hook/);
  const served = { ...status, hooks: [], session: { id: "s1", title: null } };
  assert.doesNotMatch(viewOf(running, served)?.tooltip ?? "", /Install Hook/);
});
