import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProfileReport } from "../../src/profile/profilePages.ts";
import { differencesPage, profilePage, profileRows } from "../../src/profile/profilePages.ts";

const PROFILE: ProfileReport = {
  name: "house",
  in_force: true,
  own: true,
  extends: "synapse",
  reads: "synapse",
  faults: ["brackets.FRESH.budget is no number"],
  frame: { open: "<synapse-rules>\n\n", close: "\n\n</synapse-rules>" },
  layers: [{ id: "L0" }, { id: "L1" }],
  brackets: [
    {
      name: "FRESH",
      label: "60–100%",
      budget: 800,
      layers: ["L0", "L1"],
      memory: "none",
      handoff: false,
      refresh: 12,
    },
  ],
  sections: ["CONSTITUTION", "GLOBAL"],
  drop: ["SUMMARY"],
  protected: ["CONSTITUTION"],
  recall_prompts: 5,
  whole_first_block: true,
};

test("the profile in force is marked, and faults are shown", () => {
  const [own, other] = profileRows([
    { ...PROFILE, first_layers: ["L0", "L1"] },
    {
      ...PROFILE,
      name: "carl",
      in_force: false,
      own: false,
      reads: "carl",
      faults: [],
      first_layers: ["L1"],
    },
  ]);
  assert.deepEqual(own, {
    name: "house",
    label: "$(check) house",
    description: "reads the files of synapse · active at first: L0 L1 · extends synapse",
    detail: "$(warning) brackets.FRESH.budget is no number",
    current: true,
  });
  assert.equal(other?.label, "carl");
  assert.equal(other?.description, "reads the files of carl · active at first: L1");
  assert.equal(other?.current, false);
});

test("the page of a profile has its brackets and its order", () => {
  const page = profilePage(PROFILE);
  assert.match(page, /^# Profile house$/m);
  assert.match(page, /The tree is served with it\. It is described in the tree's configuration/);
  assert.match(page, /> It does not count: brackets\.FRESH\.budget is no number\./);
  assert.match(page, /\| FRESH \| 60–100% \| 800 \| none \| no \| 12 prompts \| L0 L1 \|/);
  assert.match(page, /The first block of a window has no budget\./);
  assert.match(page, /\| Cut first \| SUMMARY \|/);
});

test("differences stand beside each other, and nothing in them is markup", () => {
  const page = differencesPage({
    one: "chati",
    other: "house",
    differences: [
      { at: "frame.open", before: "<context>\n", after: "[rules]" },
      { at: "brackets.FRESH.layers", before: ["L0", "L1"], after: null },
      { at: "brackets.FRESH.handoff", before: true, after: false },
    ],
  });
  assert.match(page, /\| frame\.open \| \\<context\\> ⏎ \| \\\[rules\\\] \|/);
  assert.match(page, /\| brackets\.FRESH\.layers \| L0 L1 \| – \|/);
  assert.match(page, /\| yes \| no \|/);
});

test("profiles that do not differ say so", () => {
  assert.match(differencesPage({ one: "a", other: "b", differences: [] }), /They say the same/);
});
