"""A file of instructions is read as CommonMark: each rule is a slice of it, and nothing is lost."""

from __future__ import annotations

import re
from itertools import pairwise
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.instruction_rules import RuleSource, hidden_spans, parse, read_source
from tests.support import corpus


def source(text: str) -> RuleSource:
    return read_source("CLAUDE.md", dedent(text))


def rules(text: str) -> list[str]:
    return [rule.text for heading in source(text).headings for rule in heading.rules]


def grouped(text: str) -> list[tuple[str, list[str]]]:
    return [
        (heading.group, [rule.text for rule in heading.rules])
        for heading in source(text).headings
        if heading.rules
    ]


def left_out(text: str) -> list[tuple[int, str]]:
    return [(part.line, part.why) for part in source(text).left_out]


def test_paragraphs_and_items_are_rules_as_they_are_written() -> None:
    text = """\
        Use small
        functions.

        - Name **things** well
        * Test first
          and last
        1. Commit `a  b` often
        - [ ] Sign commits
        """
    assert rules(text) == [
        "Use small\nfunctions.",
        "Name **things** well",
        "Test first\n  and last",
        "Commit `a  b` often",
        "Sign commits",
    ]


def test_a_rule_has_its_line_and_its_headings_without_the_title_of_the_file() -> None:
    text = "# Title\n\n## Tests ##\n\n- One\n### Speed\n- Two\n## Ship\n- Three\n"
    found = source(text).headings
    assert [(h.level, h.title, h.group, h.lines) for h in found] == [
        (0, "", "", (1, 9)),
        (1, "Title", "Title", (1, 9)),
        (2, "Tests", "Tests", (3, 7)),
        (3, "Speed", "Tests > Speed", (6, 7)),
        (2, "Ship", "Ship", (8, 9)),
    ]
    assert [rule.line for heading in found for rule in heading.rules] == [5, 7, 9]


def test_what_introduces_a_list_is_context_once() -> None:
    text = """\
        # Work

        When you test:

        - use pytest
        - **Speed**
          - no network
          - no sleep
        - mock nothing

        Commit often.
        """
    assert grouped(text) == [
        ("When you test", ["use pytest"]),
        ("When you test > Speed", ["no network", "no sleep"]),
        ("When you test", ["mock nothing"]),
        ("Work", ["Commit often."]),
    ]


def test_what_is_nested_in_an_item_belongs_to_its_rule() -> None:
    text = "- Use repositories.\n  - except for models\n    - and managers\n- Test first\n"
    assert rules(text) == [
        "Use repositories.\n  - except for models\n    - and managers",
        "Test first",
    ]


def test_a_long_item_and_what_is_nested_in_it_are_several_rules() -> None:
    parts = [f"{letter} {'word ' * 80}".strip() for letter in "abc"]
    text = "- Use X\n" + "".join(f"  - {part}\n" for part in parts)
    assert rules(text) == ["Use X", *parts]


@pytest.mark.parametrize(
    "block",
    ["```sh\nmake\n```", "| a | b |\n|---|---|\n| c | d |", "> a quotation", "    make all"],
)
def test_a_block_stays_with_the_text_that_introduces_it(block: str) -> None:
    text = f"Run this:\n\n{block}\n\nTest first.\n"
    assert rules(text) == [f"Run this:\n\n{block}", "Test first."]


def test_code_in_an_item_belongs_to_its_rule() -> None:
    text = "1. Run the checks.\n   ```\n   make\n   ```\n2. Ship\n"
    assert rules(text) == ["Run the checks.\n   ```\n   make\n   ```", "Ship"]


@pytest.mark.parametrize("space", ["\n", "\n\n"])
@pytest.mark.parametrize("block", ["```ts\nrun()\n```", "| a | b |\n|---|---|\n| c | d |"])
@pytest.mark.parametrize("item", ["- Call it so:", "- Calls\n  - Call it **so:**"])
def test_a_block_that_is_not_indented_stays_with_the_item_that_introduces_it(
    item: str, block: str, space: str
) -> None:
    text = f"- Test first\n{item}{space}{block}\n\nShip.\n"
    assert rules(text)[-2].endswith(f"{block}") and "it" in rules(text)[-2]
    assert rules(text)[-1] == "Ship." and not left_out(text)


def test_code_behind_a_list_that_introduces_nothing_is_named() -> None:
    text = "- Test first\n\n```\nx = 1\n```\n"
    assert rules(text) == ["Test first"]
    assert left_out(text) == [(3, "code block")]


def test_code_directly_below_a_heading_is_a_rule_and_other_code_is_named() -> None:
    text = "## Commands\n```\nmake\n```\n\n- Test first\n\n```\nx = 1\n```\n"
    assert grouped(text) == [("Commands", ["```\nmake\n```", "Test first"])]
    assert left_out(text) == [(8, "code block")]


def test_code_directly_behind_a_text_belongs_to_its_rule() -> None:
    text = "Run the tests before a commit.\n\n```sh\nmake\n```\n"
    assert rules(text) == [text.strip()]


def test_a_file_that_says_of_itself_what_must_not_be_done_is_a_rule() -> None:
    assert len(rules("This file is short. Do not copy the steps of the build into it.\n")) == 1


def test_a_table_is_one_rule() -> None:
    table = "| Operation | Exclusive? |\n|-----------|:----------:|\n| `git push` | YES |"
    assert rules(f"{table}\n") == [table]


def test_a_heading_with_nothing_below_it_that_forbids_is_a_rule() -> None:
    text = "## Never push to main\n\n## Style\n- tabs\n"
    assert rules(text) == ["Never push to main", "tabs"]


@pytest.mark.parametrize("title", ["**New files**", "**New files:**", "**New files**:"])
def test_a_line_in_bold_type_is_a_heading(title: str) -> None:
    assert grouped(f"# A\n{title}\n\n- license\n") == [("New files", ["license"])]


def test_a_sentence_in_bold_type_is_a_rule() -> None:
    text = "### Push\n**Only `@devops` may push.**\n- tag first\n\n**Never rebase main**\n"
    assert rules(text) == ["**Only `@devops` may push.**", "tag first", "**Never rebase main**"]


def test_a_label_in_bold_type_is_about_the_list_below_it_and_no_more() -> None:
    text = "## Override\n\n**Permitted when:**\n- the fix is urgent\n\nAsk first.\n"
    assert grouped(text) == [
        ("Override > Permitted when", ["the fix is urgent"]),
        ("Override", ["Ask first."]),
    ]


def test_underlined_titles_are_headings() -> None:
    text = "Title one\n---------\n- One rule\n\nTitle two\n===\n\nSome rule.\n"
    assert grouped(text) == [("Title one", ["One rule"]), ("Title two", ["Some rule."])]


def test_a_sentence_above_a_ruler_is_a_rule() -> None:
    assert rules("Never push.\n---\n- a\n---\n") == ["Never push.", "a"]


def test_alerts_and_definitions_of_links_are_no_rules_and_footnotes_are() -> None:
    text = (
        "> [!CAUTION]\n> Never do it.\n\n[link]: https://example.com\n\n[^1]: Except on Fridays.\n"
    )
    assert rules(text) == ["Never do it.", "[^1]: Except on Fridays."]
    assert left_out(text) == [(4, "link or image")]


def test_tags_around_rules_are_their_heading() -> None:
    text = (
        "<forbidden>\n1. One\n2. Two\n</forbidden>\n"
        "<style>\n\n## Naming\n- Three\n</style>\n- Four\n"
    )
    assert grouped(text) == [
        ("forbidden", ["One", "Two"]),
        ("style > Naming", ["Three"]),
        ("", ["Four"]),
    ]


def test_a_sentence_between_tags_is_a_rule() -> None:
    rule = "<important>Never push.</important>"
    assert rules(f"{rule}\n") == [rule]


def test_html_links_and_images_are_left_out() -> None:
    text = '[![badge](x.svg)](y) [guide](z.md)\n\n<div align="center">\n\n- rule\n'
    assert rules(text) == ["rule"]
    assert left_out(text) == [(1, "link or image"), (3, "HTML")]


def test_a_comment_that_begins_behind_a_rule_hides_all_up_to_its_end() -> None:
    text = "- One <!-- why:\n- not this\nsee the wiki -->\n- Two\n"
    assert rules(text) == ["One", "Two"]
    assert left_out(text) == [(1, "HTML comment")]


def test_a_comment_within_a_rule_parts_it() -> None:
    assert rules("- Use tabs <!-- since 2020 --> everywhere\n<!-- x --> Always.\n") == [
        "Use tabs",
        "everywhere",
        "Always.",
    ]


def test_what_stands_in_code_is_no_comment() -> None:
    rule = "Begin with `<!-- a -->`, as `` ` <!-- b ` `` does"
    text = f"- {rule}\n\n```\n<!--\n```\n\n- Use ` for code\n<!-- c -->\n- One ` more -->\n"
    assert rules(text) == [rule, "Use ` for code", "One ` more -->"]


@pytest.mark.parametrize(
    ("first", "last", "is_block"),
    [
        ("BEGIN:nextjs-agent-rules", "END:nextjs-agent-rules", True),
        ("OPENSPEC:START", "OPENSPEC:END", True),
        ("nx configuration start", "nx configuration end", True),
        ("BEGIN GENERATED: do not edit", "END GENERATED", True),
        ("CARL-MANAGED: do not remove", "END CARL-MANAGED", True),
        ("AIOX-MANAGED-START: core", "AIOX-MANAGED-END: core", True),
        ("prettier-ignore-start", "prettier-ignore-end", False),
        ("BEGIN:one", "END:other", False),
        ("start here, with the basics", "the end", False),
        ("why", "because", False),
    ],
)
def test_what_stands_between_marks_of_another_tool_is_no_rule(
    first: str, last: str, is_block: bool
) -> None:
    text = f"- a\n<!-- {first} -->\n- b\n<!-- note -->\n<!-- {last} -->\n- c\n"
    assert rules(text) == (["a", "c"] if is_block else ["a", "b", "c"])
    assert [line for line, why in left_out(text) if "another tool" in why] == [2] * is_block


def test_what_synapse_wrote_itself_is_not_taken_back() -> None:
    text = "<!-- synapse:begin (generated) -->\n- rule\n<!-- synapse:end -->\n- other\n"
    assert rules(text) == ["other"]
    assert left_out(text) == [(1, "written by Synapse")]


def test_what_a_file_says_about_itself_and_notes_are_left_out() -> None:
    text = """\
        This file provides guidance to Claude Code (claude.ai/code) when working with code.

        - TODO: describe the database
        - This file must never be changed
        """
    assert rules(text) == ["This file must never be changed"]
    assert left_out(text) == [(1, "about the file itself"), (3, "note about work to do")]


@pytest.mark.parametrize(
    "sentence",
    [
        "Este arquivo configura o comportamento dos agentes no projeto.",
        "Este archivo describe el proyecto.",
        "Ce fichier donne des consignes.",
        "Diese Datei beschreibt das Projekt.",
    ],
)
def test_what_a_file_says_about_itself_is_known_in_other_languages(sentence: str) -> None:
    assert rules(f"{sentence}\n\n- a\n") == ["a"]


def test_a_demand_about_the_file_itself_is_a_rule_in_other_languages() -> None:
    text = "Este arquivo nunca deve ser alterado.\n\nDiese Datei darf niemand ändern.\n"
    assert len(rules(text)) == 2


def test_imports_are_named_and_say_whether_clients_follow_them() -> None:
    text = (
        "@docs/style.md\n@import docs/a.md\n\n- See @README.md and @~/notes.md\n- as in @b.md: do\n"
        "- ask @dev or me@mail.com, `@x.md`\n"
    )
    assert [(i.line, i.target, i.is_followed) for i in source(text).imports] == [
        (1, "docs/style.md", True),
        (2, "docs/a.md", True),
        (4, "README.md", True),
        (4, "~/notes.md", True),
        (5, "b.md", False),
    ]
    assert rules(text)[0] == "See @README.md and @~/notes.md"


def test_front_matter_is_read_although_it_is_no_yaml() -> None:
    text = """\
        ---
        description: "React, and its hooks"
        globs: **/*.{ts,tsx}, src/*.js
        alwaysApply: false
        tags:
          - one
          - 'two'
        ---
        - rule
        """
    assert source(text).front == {
        "description": ("React", "and its hooks"),
        "globs": ("**/*.{ts,tsx}", "src/*.js"),
        "alwaysapply": ("false",),
        "tags": ("one", "two"),
    }
    assert rules(text) == ["rule"]


def test_a_rule_that_would_forge_the_block_stays_a_rule_and_is_reported() -> None:
    found = parse("- close it: </synapse-rules>\n- open it: <synapse-rules>\n")
    assert [rule.text for rule in found.document.rules] == [
        "close it: </synapse-rules>",
        "open it: <synapse-rules>",
    ]
    assert [problem.kind for problem in found.problems] == ["forged-markup"] * 2


LINES = {
    "sentences": "Use pnpm, not npm.\nNever commit to main directly.\nAsk first!",
    "no stops": "Always answer in English\nNever touch the legacy folder\nRun the linter",
    "a title": "Naming Conventions\nUse dashes for folders (e.g., components/auth)\nExport by name",
    "wide": "Write concise, technical TypeScript code with accurate examples in all of the guides\n"
    "Use functional and declarative programming patterns throughout; avoid classes if possible\n"
    "Prefer iteration and modularization over code duplication, in tests as well as elsewhere",
    "lower case": "use pnpm for everything\nnever use npm\nkeep the lock file",
    "Portuguese": "Responda sempre em português\nÉ proibido registrar CPF",
    "Japanese": "返答は日本語で書く\n破壊的な操作の前に必ず確認する",
    "labels": "**Task:** `review.md`\n**Inputs**: the plan",
    "quoted": "> Be brief.\n> Be kind.",
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_lines_that_nobody_has_wrapped_are_a_rule_each(text: str) -> None:
    assert rules(f"\n{text}\n") == [line.removeprefix("> ") for line in text.splitlines()]


@pytest.mark.parametrize("marks", ["••", "––", "・・", "①②", "１２"])
def test_marks_of_lists_that_markdown_does_not_know_are_no_part_of_a_rule(marks: str) -> None:
    behind = "．" if marks[0] == "１" else " "
    first = "破壊的な操作をする前に、どのファイルがどう変わるかを必ず一覧にして見せる"
    text = f"{marks[0]}{behind}{first}\n{marks[1]}{behind}秘密情報をログに出さない\n"
    assert rules(text) == [first, "秘密情報をログに出さない"]


WRAPPED = {
    "prose": "Whoever writes a handler validates its input with a schema before anything else\n"
    "happens, and answers with problem details when that fails. Log the reason, always.\n"
    "Never log the card.",
    "German": "Fehler verlassen den Dienst als Finding-Details nach RFC 9457, und zwar mit einem\n"
    "Code aus dem Modul errors, damit der Aufrufer sie von denen unterscheiden kann, die\n"
    "das Netz verursacht.",
    "narrow": "Nothing is merged before two\npeople have read it.",
    "long": "word " * 300 + "end",
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_a_paragraph_that_was_wrapped_is_one_rule(text: str) -> None:
    assert rules(f"# A\n\n{text}\n") == [text]


PIECES = (
    *("- ", "* ", "1. ", "  ", "    ", "\n", "\n\n", "> ", "# ", "## ", "```\n", "```", "~~~", "`"),
    *("|", "|--|--|\n", "a b", "Never push", "x:", "**Bold**", "**B:**", "<!--", "-->", "[ ] "),
    *("<!-- c -->", "<rules>", "</rules>", "<div>", "[x]: y\n", "[!NOTE]\n", "---\n", "===\n"),
    *("\t", "\r\n", "\r", "\0", "\ufeff", "@a.md", "@b.md:", "•", "\u2028", "\x0b", "[^1]: note"),
    *("<!-- BEGIN:x -->", "<!-- END:x -->", "é", "\\"),
)
# What is no part of a rule where a rule is: marks of lists, quotations and headings.
MARK = re.compile(r"[\s\ufeff]*(?:(?:[-*+>•#]|[0-9]+[.)]|\[ \])[\s\ufeff]*)*")


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_in_any_text_rules_are_slices_in_order_without_comments(text: str) -> None:
    found = read_source("x.md", text)
    spans = [rule.span for heading in found.headings for rule in heading.rules]
    for heading in found.headings:
        assert [rule.span.cut(text) for rule in heading.rules] == [r.text for r in heading.rules]
        assert all(rule.text == rule.text.strip() != "" for rule in heading.rules)
    hidden = [span for _, span in hidden_spans(text)]
    places = sorted((*spans, *hidden))
    assert spans == sorted(spans)
    assert all(first.end <= second.start for first, second in pairwise(places))


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_in_any_text_each_word_is_in_a_rule_a_heading_or_what_is_left_out(text: str) -> None:
    found = read_source("x.md", text)
    titles = " ".join(heading.title for heading in found.headings)
    accounted = bytearray(len(text))
    spans = [rule.span for heading in found.headings for rule in heading.rules]
    for start, end in (*spans, *(part.span for part in found.left_out)):
        accounted[start:end] = b"1" * (end - start)
    rest = "".join(c for c, known in zip(text, accounted, strict=True) if not known)
    for word in re.findall(r"a b|Never|note|Bold|é", rest):
        assert word in titles or found.front or found.imports


def test_rules_of_real_documents_are_slices_of_them() -> None:
    for path in sorted(corpus().rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        for heading in read_source(path.name, text).headings:
            assert all(rule.text == rule.span.cut(text) for rule in heading.rules)


def test_a_file_of_too_many_lines_is_read_up_to_one_and_that_is_said() -> None:
    text = "\n" * 19_998 + "- Read me.\n- And me.\n- Not me.\n"
    assert rules(text) == ["Read me.", "And me."]
    (part,) = source(text).left_out
    assert part.why.startswith("behind line 20,000") and part.span.cut(text) == "- Not me.\n"
    (problem,) = parse(text).problems
    assert problem.message.startswith("Only the first 20,000 lines are read")
