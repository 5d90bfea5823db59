import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryRows, memorySummary } from "../../src/memory/memoryRows.ts";
import type { Memory } from "../../src/protocol.ts";
import { partly } from "./partialValue.ts";

const READER = { now: Date.parse("2026-11-22T09:00:00Z"), locale: "en" };
const MEMORY = partly<Memory>({
  id: "mem-1",
  title: "Deploys wait for QA",
  text: "Deploys wait for QA, whatever the hour.",
  type: "decision",
  tags: ["deploy"],
  agent: null,
  sector: "semantic",
  storage: "durable",
  tier: "hot",
  score: 0.75,
  evidence: 2,
  created: "2026-11-22T08:00:00Z",
  expires: null,
  explicit: true,
  archived: false,
  location: null,
});

test("memories are grouped by tier, archived ones come last", () => {
  const cold = { ...MEMORY, id: "mem-2", tier: "cold", agent: "qa", type: "" };
  const gone = { ...MEMORY, id: "mem-3", archived: true };
  const { nodes } = memoryRows([MEMORY, cold], [gone], READER);
  assert.deepEqual(
    nodes.map(({ label, folded }) => [label, folded]),
    [
      ["Hot", false],
      ["Cold", true],
      ["Forgotten", true],
    ],
  );
  const [hot] = nodes[0]?.children ?? [];
  assert.equal(hot?.kind, "memory");
  assert.equal(hot?.subject, "mem-1");
  assert.equal(hot?.description, "decision · #deploy");
  assert.match(hot?.tooltip ?? "", /Text: Deploys wait for QA, whatever the hour\\?\./);
  assert.match(hot?.tooltip ?? "", /Worth: 0\.75/);
  assert.equal(nodes[2]?.children?.[0]?.kind, "memory gone");
});

test("the owner of a memory comes first", () => {
  assert.equal(memorySummary({ ...MEMORY, agent: "qa" }), "@qa · decision · #deploy");
  assert.equal(memorySummary({ ...MEMORY, type: "", tags: [] }), "semantic");
});

test("an empty memory view says so", () => {
  const { message, nodes } = memoryRows([], [], READER);
  assert.equal(nodes.length, 0);
  assert.match(message ?? "", /Nothing is remembered yet/);
});
