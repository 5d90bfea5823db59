import assert from "node:assert/strict";
import { test } from "node:test";
import type { Injection, Session, Sessions } from "../../src/protocol.ts";
import { formatTime } from "../../src/text/timeText.ts";
import { injectionKey, injectionRows, injectionText } from "../../src/views/injectionRows.ts";
import { type RowDisplay, sessionRows } from "../../src/views/sessionRows.ts";
import { pictureDataUri, usageChart, usageSparkline } from "../../src/views/usageCharts.ts";
import { partly } from "./partialValue.ts";

const reader: RowDisplay = {
  now: Date.parse("2026-03-02T18:00:00"),
  locale: "en",
  darkTheme: true,
};

const point = (remaining: number) => ({
  time: "2026-03-02T12:00:00Z",
  remaining,
  source: "measured",
  used: null,
  tokens: 700,
});

const session: Session = {
  id: "0a1b2c3d-4e5f",
  title: "Refund webhook",
  label: null,
  lastActivity: "2026-03-02T12:30:00",
  prompts: 3,
  bracket: "MODERATE",
  agent: "dev",
  problem: null,
  history: [point(90), point(52.5)],
  file: "file:///ws/.synapse/sessions/0a1b2c3d.json",
};

const rows = (more: Partial<Session> = {}, answer: Partial<Sessions> = {}) =>
  sessionRows(
    { sessions: [{ ...session, ...more }], current: null, pinned: null, ...answer },
    reader,
  );

test("a session shows its remaining window, its agent and its last activity", () => {
  const [row] = rows().nodes;
  assert.equal(row?.label, "Refund webhook");
  assert.equal(row?.description, "52.5% left · MODERATE · @dev · 12:30");
});

test("the followed session is marked, and a pinned one can be unpinned", () => {
  const current = rows({}, { current: session.id }).nodes[0];
  assert.match(current?.description ?? "", /^current · /);
  assert.equal(current?.kind, "session free");
  const pinned = rows({}, { current: session.id, pinned: session.id }).nodes[0];
  assert.match(pinned?.description ?? "", /^pinned · /);
  assert.equal(pinned?.kind, "session pinned");
});

test("usage over time is the icon, and a larger picture in the tooltip with words beside it", () => {
  const [row] = rows().nodes;
  assert.ok(row?.icon && "dark" in row.icon && row.icon.dark.startsWith("<svg"));
  assert.match(row?.tooltip ?? "", /!\[from 90% to 52\.5% in 2 prompts\]\(data:image\/svg/);
});

test("a session with a single prompt has nothing to draw", () => {
  const [row] = rows({ history: [point(90)] }).nodes;
  assert.deepEqual(row?.icon, { codicon: "history" });
  assert.doesNotMatch(row?.tooltip ?? "", /data:image/);
});

test("a file that holds no session says why, and cannot be pinned", () => {
  const [row] = rows({ id: null, title: null, problem: "it is no JSON", history: [] }).nodes;
  assert.equal(row?.label, "unreadable session");
  assert.equal(row?.description, "it is no JSON");
  assert.equal(row?.kind, "session broken");
  assert.equal(row?.subject, undefined);
});

test("titles from a transcript cannot form links in the tooltip", () => {
  const [row] = rows({ title: "[x](command:evil)" }).nodes;
  assert.match(row?.tooltip ?? "", /\\\[x\\\]\\\(command:evil\\\)/);
});

test("the line of a chart goes down with what is left, and stays inside of the picture", () => {
  const path = /<path d="(M[^"V]*)" fill="none"/.exec(usageSparkline([100, 0], "#000"))?.[1];
  assert.equal(path, "M1 2L15 14");
  const beyond = /<path d="(M[^"V]*)" fill="none"/.exec(usageSparkline([140, -5], "#000"))?.[1];
  assert.equal(beyond, "M1 2L15 14");
});

test("the large chart has a line for each bracket's floor", () => {
  assert.equal(usageChart([80, 30], "#000").match(/stroke-dasharray/g)?.length, 3);
});

test("a picture is its own address", () => {
  const [, data = ""] = pictureDataUri("<svg/>").split(",");
  assert.equal(Buffer.from(data, "base64").toString(), "<svg/>");
});

test("a moment of another day has its date", () => {
  assert.equal(formatTime("2026-03-02T09:05:00", reader.now, "en"), "09:05");
  assert.match(formatTime("2026-02-27T09:05:00", reader.now, "en"), /Feb 27/);
  assert.equal(formatTime("yesterday", reader.now, "en"), "");
});

const injection = partly<Injection>({
  time: "2026-03-02T12:30:05",
  session: "0a1b2c3d-4e5f",
  client: "claude",
  event: "UserPromptSubmit",
  subAgent: null,
  bracket: "MODERATE",
  remaining: 52.5,
  source: "measured",
  tokens: 120,
  budget: 1500,
  sections: [
    {
      id: "KEYWORD",
      entries: [
        { name: "TESTING_RULE_0", text: "Test first", location: null },
        { name: "TESTING_RULE_1", text: null, location: null },
      ],
    },
  ],
  cuts: 1,
  hash: "abc",
});

test("an injection says how much was sent, to whom and in which session", () => {
  const [row] = injectionRows([injection], [session], reader, true).nodes;
  assert.equal(row?.label, "12:30:05");
  assert.equal(row?.description, "120 tokens · MODERATE · claude · Refund webhook");
  assert.equal(row?.subject, injectionKey(injection));
});

test("a prompt that brought nothing new says so", () => {
  const [row] = injectionRows([{ ...injection, sections: [], tokens: 0 }], [], reader, true).nodes;
  assert.equal(row?.description, "nothing new · MODERATE · claude · 0a1b2c3d");
});

test("rules that have changed since are known by their names only", () => {
  const [row] = injectionRows([injection], [], reader, true).nodes;
  assert.deepEqual(
    row?.children?.[0]?.children?.map(({ label }) => label),
    ["Test first", "TESTING_RULE_1"],
  );
  const text = injectionText(injection);
  assert.match(text, /\[KEYWORD\]\n {2}Test first\n {2}\? TESTING_RULE_1/);
  assert.match(text, /“\?” marks rules/);
});

test("lines that are no rules are counted", () => {
  const entry = { name: "TASK", text: null, location: null };
  const task = { ...injection, sections: [{ id: "TASK", entries: [entry, entry] }], cuts: 0 };
  const [row] = injectionRows([task], [], reader, true).nodes;
  assert.equal(row?.children?.[0]?.description, "2 lines, not kept");
  assert.equal(row?.children?.[0]?.children?.length, 0);
  assert.match(injectionText(task), /\[TASK\]\n {2}… 2 lines, not kept/);
});

test("a view with nothing in it says so, unless there is no hook, which the view says itself", () => {
  assert.match(injectionRows([], [], reader, true).message ?? "", /Nothing has been sent/);
  assert.equal(injectionRows([], [], reader, false).message, undefined);
});

test("an injection whose text is not kept says why", () => {
  assert.match(injectionText({ ...injection, block: "gone" }), /not kept any more/);
  assert.match(injectionText({ ...injection, block: "off" }), /Texts are not kept/);
  assert.match(injectionText({ ...injection, block: "quotes" }), /repeats the prompt/);
});

test("an injection shows whether it arrived where the transcript shows it", () => {
  const tooltip = (arrived: boolean | null) =>
    injectionRows([{ ...injection, arrived }], [], reader, true).nodes[0]?.tooltip ?? "";
  assert.match(tooltip(true), /Arrived: yes/);
  assert.match(tooltip(false), /Arrived: not in/);
  assert.doesNotMatch(tooltip(null), /Arrived/);
});
