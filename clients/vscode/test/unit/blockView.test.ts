import assert from "node:assert/strict";
import { test } from "node:test";
import { type BlockAnswers, blockView } from "../../src/panel/blockView.ts";
import type { BlockView, Simulation, Tab } from "../../src/panel/panelMessages.ts";
import { context, domain, entry, explanation, rule, section } from "./panelAnswers.ts";

function view(
  given: Partial<BlockAnswers>,
  simulated: string | Simulation = "",
  tab: Tab = "layers",
): BlockView {
  const nothing = {
    delivery: undefined,
    comparison: undefined,
    unsavedFiles: [],
    commands: [],
    delivered: { last: "", trouble: undefined },
  };
  const answers = { context: context(), explanation: explanation([]), ...nothing, ...given };
  const simulation = typeof simulated === "string" ? { prompt: simulated } : simulated;
  return blockView(answers, simulation, tab);
}

test("the summary has bracket, window and size", () => {
  const { summary } = view({});
  assert.equal(summary.bracket, "FRESH");
  assert.equal(summary.left, "100% left");
  assert.match(summary.leftTitle, /^100% of the window left \(/);
  assert.equal(summary.size, "40 of 100 tokens");
  assert.equal(summary.fit, "fits");
  assert.equal(summary.spoken, "FRESH, 40 of 100 tokens");
});

test("the summary lists the active situation without empty parts", () => {
  const situation = explanation([], { agent: { id: "dev" }, workflow: { id: "w", phase: "qa" } });
  assert.deepEqual(view({ explanation: situation }).summary.parts, [
    { name: "Agent", value: "@dev" },
    { name: "Workflow", value: "w, qa" },
  ]);
});

test("the bar is as long as the budget while the block fits", () => {
  const sections = [section("GLOBAL", entry("GLOBAL", "a"), entry("GLOBAL", "b"))];
  const { bar } = view({ context: context({ sections, tokens: 20 }) }).summary;
  assert.deepEqual(bar.segments, [{ hue: "blue", share: 0.2, title: "Global: 20 tokens" }]);
  assert.equal(bar.budget, 1);
  assert.equal(bar.label, "20 of 100 tokens, Global 20");
});

test("a block over the budget fills the bar and shows where the budget ends", () => {
  const over = context({ tokens: 200, overBudget: true });
  const { summary } = view({ context: over });
  assert.equal(summary.bar.budget, 0.5);
  assert.equal(summary.fit, "over");
  assert.match(summary.fitText, /^100 tokens over the budget/);
});

test("lines that are cut are counted and said of what", () => {
  const cut = (count: number) =>
    view({ context: context({ cuts: Array(count).fill(entry("A", "x")) }) }).summary;
  assert.equal(cut(1).fitText, "1 line of A cut: no room");
  assert.equal(cut(3).fitText, "3 lines of A cut: no room");
  assert.equal(cut(3).fit, "cut");
});

test("the summary counts the left-out rules and links to them", () => {
  const out = domain("MONEY", { rules: [rule("MONEY", 1), rule("MONEY", 2)] });
  assert.equal(view({ explanation: explanation([out]) }).summary.leftOut, "2 left out:");
  assert.equal(view({}).summary.leftOut, "");
});

test("what is cut has a line of its own and is not counted with the left-out rules", () => {
  const lost = rule("MONEY", 1);
  const { summary } = view({
    context: context({ cuts: [{ ...lost, domain: "MONEY" }] }),
    explanation: explanation([
      domain("MONEY", { rules: [lost] }),
      domain("QA", { rules: [rule("QA", 1)] }),
    ]),
  });
  assert.deepEqual(
    [summary.fitText, summary.leftOut],
    ["1 line of MONEY cut: no room", "1 left out:"],
  );
});

test("a line that a client's limit cuts counts as cut too", () => {
  assert.equal(view({ context: context({ limited: [entry("A", "x")] }) }).summary.fit, "cut");
});

test("a section names its subject, and a rule leads to its line", () => {
  const global = {
    ...section("AGENT", entry("AGENT_DEV", "Test", 4)),
    heading: "[ACTIVE AGENT: @dev]",
  };
  const [layer] = view({ context: context({ sections: [global] }) }).layers;
  assert.equal(layer?.name, "Agent");
  assert.equal(layer?.detail, "@dev");
  assert.equal(layer?.title, "[ACTIVE AGENT: @dev] · layer L1");
  const [shown] = layer?.groups[0]?.rules ?? [];
  assert.deepEqual(shown?.place, { uri: "file:///ws/.synapse/agent_dev", line: 4 });
  assert.equal(shown?.title, "AGENT_DEV_RULE_4 · 10 tokens · agent_dev:5");
});

test("domains that share a section are grouped with their reasons", () => {
  const sections = [section("GLOBAL", entry("GLOBAL", "a"), entry("MONEY", "b"))];
  const accounts = explanation([
    domain("GLOBAL", { layer: "L1", reason: "it holds for every prompt" }),
    domain("MONEY", { layer: "L1", reason: "always on" }),
  ]);
  const [layer] = view({ context: context({ sections }), explanation: accounts }).layers;
  assert.deepEqual(
    layer?.groups.map(({ label, reason }) => [label, reason]),
    [
      ["GLOBAL", "it holds for every prompt"],
      ["MONEY", "always on"],
    ],
  );
});

test("a domain alone in its section needs no label, unless the prompt has woken it", () => {
  const sections = [section("KEYWORD", entry("TESTING", "a"))];
  const of = (layer: string) =>
    view({
      context: context({ sections }),
      explanation: explanation([domain("TESTING", { layer, reason: "because" })]),
    }).layers[0]?.groups[0]?.label;
  assert.equal(of("L1"), "");
  assert.equal(of("L6"), "TESTING");
});

test("a file that clients read by themselves has its heading, and names them", () => {
  const sections = [section("GLOBAL", entry("CLAUDE_MD", "a"))];
  const because = [
    { code: "always-on", values: [] },
    { code: "read-by", values: ["claude", "CLAUDE.md"] },
  ];
  const account = domain("CLAUDE_MD", { layer: "L1", because, readBy: ["claude"] });
  const [layer] = view({
    context: context({ sections }),
    explanation: explanation([account]),
  }).layers;
  assert.deepEqual(
    layer?.groups.map(({ label, reason }) => [label, reason]),
    [
      [
        "CLAUDE_MD",
        "always on; it is not injected for clients that read CLAUDE.md by themselves (Claude Code)",
      ],
    ],
  );
});

test("the effect of a prompt names what it brings in", () => {
  const woken = explanation([domain("TESTING", { layer: "L6", because: [] })], {
    prompt: { commands: ["brief"] },
  });
  const commands = ["brief"];
  const { wakes } = view({ explanation: woken, commands }, "unit test");
  assert.equal(wakes, "Activates TESTING, *brief.");
  assert.equal(view({}, "hello").wakes, "Activates nothing.");
  assert.equal(view({}, " ").wakes, "");
});

test("the effect of a prompt names what matches and is inactive in the bracket", () => {
  const because = [
    { code: "asleep-until-matched", values: ["L6", "FRESH", "MODERATE", "40–60%", "deploy"] },
  ];
  const dormant = explanation([domain("DEPLOY", { layer: null, because })], { bracket: "FRESH" });
  const { wakes } = view({ explanation: dormant }, "deploy the api");
  assert.equal(wakes, "Matches DEPLOY, which is inactive in FRESH.");
});

test("a bracket that is tried out has no share of the window", () => {
  assert.equal(view({}, { bracket: "MODERATE" }).summary.left, "");
  assert.notEqual(view({}, { bracket: "MODERATE", remaining: 50 }).summary.left, "");
});

test("the effect of a prompt names the agent that it activates", () => {
  const effect = (source: string) =>
    view({ explanation: explanation([], { agent: { id: "qa", source } }) }, "@qa look").wakes;
  assert.equal(effect("prompt"), "Activates @qa.");
  assert.equal(effect("given"), "Activates nothing.");
});

test("a star-command that the tree has no rules for brings nothing in", () => {
  const named = explanation([], { prompt: { commands: ["breif"] } });
  const { wakes } = view({ explanation: named, commands: ["brief"] }, "*breif");
  assert.equal(wakes, "The tree has no rules for *breif.");
});

test("cut rules come first among the left-out rules", () => {
  const kept = rule("TESTING", 0, { rendered: true });
  const lost = rule("TESTING", 1, {
    reason: "it does not fit into the budget of FRESH",
    remedy: "",
  });
  const accounts = explanation([
    domain("AGENT_QA", { rules: [rule("AGENT_QA", 0), rule("AGENT_QA", 1)] }),
    domain("TESTING", { layer: "L6", rules: [kept, lost] }),
  ]);
  const { leftOut } = view({
    context: context({ cuts: [{ ...lost, domain: "TESTING" }] }),
    explanation: accounts,
  });
  assert.equal(leftOut.count, 3);
  assert.deepEqual(
    leftOut.groups.map(({ label, count, cut }) => [label, count, cut]),
    [
      ["TESTING", "1 of 2", true],
      ["AGENT_QA", "2", false],
    ],
  );
});

test("what is left out is counted by kind of reason, the commonest first", () => {
  const because = (code: string) => ({ because: [{ code, values: [] }] });
  const accounts = explanation([
    domain("AGENT_QA", {
      rules: [1, 2].map((line) => rule("AGENT_QA", line, because("no-agent"))),
    }),
    domain("TESTING", { rules: [rule("TESTING", 1, because("asleep-until"))] }),
  ]);
  const { leftOut } = view({
    context: context({ cuts: [entry("TASK", "Story: 42")] }),
    explanation: accounts,
  });
  assert.deepEqual(
    leftOut.kinds.map(({ kind, label, count }) => [kind, label, count]),
    [
      ["agent", "for other agents", 2],
      ["cut", "cut", 1],
      ["bracket", "inactive in this bracket", 1],
    ],
  );
});

test("left-out rules of an active domain come last", () => {
  const later = rule("CONTEXT", 0, { reason: "it is for CRITICAL", remedy: "" });
  const accounts = explanation([
    domain("CONTEXT", { layer: "L1", rules: [later] }),
    domain("AGENT_QA", { rules: [rule("AGENT_QA", 0)] }),
  ]);
  const labels = view({ explanation: accounts }).leftOut.groups.map(({ label }) => label);
  assert.deepEqual(labels, ["AGENT_QA", "CONTEXT"]);
});

test("rules of a domain with different reasons stand apart", () => {
  const rules = [
    rule("CONTEXT", 0, { reason: "it is for MODERATE", remedy: "try --bracket MODERATE" }),
    rule("CONTEXT", 1, { reason: "it is for CRITICAL", remedy: "try --bracket CRITICAL" }),
  ];
  const { groups } = view({ explanation: explanation([domain("CONTEXT", { rules })]) }).leftOut;
  assert.deepEqual(
    groups.map(({ reason }) => reason),
    ["it is for MODERATE", "it is for CRITICAL"],
  );
});

test("a domain that nothing activates is not counted as switched off", () => {
  const because = (code: string) => [rule(code, 1, { because: [{ code, values: [] }] })];
  const accounts = ["inactive", "untriggered", "no-file"].map((code) =>
    domain(code, { rules: because(code) }),
  );
  assert.deepEqual(
    view({ explanation: explanation(accounts) }).leftOut.kinds.map(({ label, count }) => [
      label,
      count,
    ]),
    [
      ["without a trigger or file", 2],
      ["switched off", 1],
    ],
  );
});

test("a line of a task that is cut is left out like a rule", () => {
  const { leftOut } = view({ context: context({ cuts: [entry("TASK", "Story: 42")] }) });
  assert.deepEqual(
    leftOut.groups.map(({ label, cut, rules }) => [label, cut, rules.length]),
    [["TASK", true, 1]],
  );
});

test("unsaved files and the server's notes are listed", () => {
  const { notes } = view({ unsavedFiles: ["global"], context: context({ notes: ["odd"] }) });
  assert.deepEqual(notes, [
    "Not saved, so not in here: global. Agents read what is on disk.",
    "odd",
  ]);
});

test("each tab has its text", () => {
  const block = context({ block: "all", tokens: 40 });
  const part = context({ block: "part", tokens: 7 });
  const text = (tab: Tab, delivery?: typeof block) => {
    const shown = view({ context: block, delivery }, "", tab);
    return [shown.text, shown.textNote];
  };
  assert.deepEqual(text("layers"), [undefined, ""]);
  assert.deepEqual(text("block"), ["all", ""]);
  assert.deepEqual(text("delivery", block), ["all", "The whole block, 40 tokens."]);
  assert.deepEqual(text("delivery", part), ["part", "7 tokens; the rest is in context already."]);
  assert.deepEqual(text("delivery", context({ block: "" })), [
    "",
    "Nothing: all of it is in context already.",
  ]);
});

test("what is sent says who gets less of it, because they read files by themselves", () => {
  const block = context({ block: "all", tokens: 40 });
  const accounts = explanation([
    domain("CLAUDE_MD", { layer: "L1", readBy: ["claude"] }),
    domain("AGENTS_MD", { layer: null, readBy: ["codex"] }),
  ]);
  assert.equal(
    view({ context: block, delivery: block, explanation: accounts }, "", "delivery").textNote,
    "The whole block, 40 tokens. Less for clients that read some of it by themselves: Claude Code.",
  );
});

test("the summary says when the hook last handed something over", () => {
  const delivered = { last: "12:03 (Cursor)", trouble: undefined };
  assert.deepEqual(view({ delivered }).summary.parts, [
    { name: "Last delivered", value: "12:03 (Cursor)" },
  ]);
});

test("what keeps rules from agents is the first note", () => {
  const trouble = { sentence: "The hook cannot be started.", remedy: "Install it." };
  assert.equal(
    view({ delivered: { last: "never", trouble } }).notes[0],
    "last delivered: never. The hook cannot be started. Install it.",
  );
});

test("a block that no budget bounds is not said to have reached one", () => {
  const { summary } = view({ context: context({ tokens: 90, budget: 90, unbounded: true }) });
  assert.equal(summary.size, "90 tokens (no limit)");
});
