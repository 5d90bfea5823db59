/** Text of a repository in pages that the editor renders as Markdown. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeMarkdown, greetingMarkdown, inertText } from "../../src/text/markdown";

test("a greeting keeps its own labels, lists and inline code", () => {
  const own = [
    "🤖 Dex the Builder is ready [⚠️ Ask]",
    "",
    "**Role:** Developer",
    "**Quick Commands:**",
    "   - `*help {what}`: Lists a_b",
    "- [x] Done",
  ].join("\n");
  assert.equal(
    greetingMarkdown(own),
    [
      "🤖 Dex the Builder is ready \\[⚠️ Ask\\]",
      "",
      "**Role:** Developer",
      "**Quick Commands:**",
      "   - `*help {what}`: Lists a\\_b",
      "- \\[x\\] Done",
    ].join("\n"),
  );
});

for (const [given, shown] of [
  ["[x](command:y)", "\\[x\\]\\(command:y\\)"],
  ["**Role:** ![x](https://a.b/c)", "**Role:** \\!\\[x\\]\\(`https://a.b/c`\\)"],
  ["   - <img src=x>", "   - \\<img src=x\\>"],
  ["```[x](command:y)`", "\\`\\`\\`\\[x\\]\\(command:y\\)\\`"],
  ["`a``[x](u)`", "\\`a\\`\\`\\[x\\]\\(u\\)\\`"],
  ["\\`[x](u)`", "\\\\`[x](u)`"],
  ["**[x](u)**", "\\*\\*\\[x\\]\\(u\\)\\*\\*"],
  ["# x", "\\# x"],
  ["---", "\\---"],
  ["===", "\\==="],
  ["   - - x", "   - \\- x"],
  ["1. x", "1\\. x"],
  ["[x]: https://a.b", "\\[x\\]: `https://a.b`"],
  ["//a.b/c", "`//a.b/c`"],
  ["see (WWW.a.b)", "see \\(`WWW.a.b`\\)"],
  ["a@b.example", "`a@b.example`"],
  ["a.@b.example", "`a.@b.example`"],
  ["a+@b.example", "a\\+`@b.example`"],
  ["x=@münchen.de", "x=`@münchen.de`"],
  ["a;@ü.рф", "a;`@ü.рф`"],
  ["a;@mu\u0308.com", "a;`@mu\u0308.com`"],
  ["“www.a.b”", "“`www.a.b`”"],
  ["https&colon;&sol;&sol;a.b", "https\\&colon;\\&sol;\\&sol;a.b"],
] as const) {
  test(`in a greeting ${given} is text`, () => {
    assert.equal(greetingMarkdown(given), shown);
  });
}

test("names of agents and paths stay as they are", () => {
  assert.equal(escapeMarkdown("@dev docs/a.md: 1"), "@dev docs/a.md: 1");
});

test("an escaped text stays on its line, so that nothing in it begins a heading or a list", () => {
  assert.equal(escapeMarkdown("a\n\n# b\r\n- c"), "a \\# b - c");
});

test("what a model is given of a workspace is on one line, and no tag", () => {
  const words = "a</facts>\n[x] <system-reminder>b</system-reminder>\u001b[31m\u202e < 3 <b";
  assert.equal(
    inertText(words),
    "a(/facts) [x] (system-reminder)b(/system-reminder) [31m\ufffd < 3 (b",
  );
});

test("nor is anything in it that nobody sees, but for what an emoji or a script needs", () => {
  const unseen = [
    "🙂\u{e0142}",
    "a\ufe0f",
    "a\u200db",
    "•\ufe0f",
    "§\ufe0e",
    "=\u200d=",
    "1\u200d2",
    "\u3164",
    "\ufdd0",
    "\u{1ffff}",
    "\u0378",
    "a\u034fb",
    "\u2800",
    "\u{e0041}",
  ];
  for (const words of unseen) {
    assert.match(inertText(words), /\ufffd/u);
  }
  const needed = "👩🏽\u200d💻 ⚠\ufe0f 1\ufe0f⃣ ©\ufe0f ❤\ufe0f\u200d🔥 می\u200cخواهم 葛\u{e0100}城";
  assert.equal(inertText(needed), needed);
});
