"""Comments for the linter are found where they are comments, and are no part of what a file says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats import (
    agent_definition,
    commands_file,
    constitution_file,
    context_file,
    domain_file,
    manifest,
    story_file,
    task_file,
)
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives, find_directives
from synapse_ls.text.line_index import iter_lines

PIECES = (
    *("synapse:", "synapse: ignore", "ignore-file", "ignore-next-line", "[", "]", ",", "SYN105"),
    *("#", "# ", "<!--", "<!-- ", "-->", " ", "\t", "\n", "\r\n", "\r", "\u2028", "x", "=", "😀"),
    *("# synapse: ignore[SYN105]", "<!-- synapse: ignore -->", "GLOBAL_RULE_0=", "X_STATE=active"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
EVERY = st.sampled_from(CommentStyle)


def said(
    text: str, comments: CommentStyle = CommentStyle.BOTH
) -> list[tuple[str, list[str] | None, str]]:
    return [
        (
            d.word.value,
            None if d.selector_span is None else [s.value for s in d.selectors],
            d.reason,
        )
        for d in find_directives(text, comments)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# synapse: ignore", ("ignore", None, "")),
        ("#synapse:ignore", ("ignore", None, "")),
        ("## synapse: ignore-file until May", ("ignore-file", None, "until May")),
        (
            "X=1 # synapse: ignore[SYN105, bad-state] why",
            ("ignore", ["SYN105", "bad-state"], "why"),
        ),
        ("# synapse: ignore-next-line [SYN1]", ("ignore-next-line", ["SYN1"], "")),
        ("# synapse: ignore[]", ("ignore", [], "")),
        ("# synapse: ignore[ , a,]", ("ignore", ["a"], "")),
        ("# synapse: ignore[SYN105", ("ignore", ["SYN105"], "")),
        ("- a <!-- synapse: ignore[SYN8] a test -->", ("ignore", ["SYN8"], "a test")),
        ("<!--synapse:ignore-->", ("ignore", None, "")),
        ("# synapse: ingore-next-line[SYN1]", ("ingore-next-line", ["SYN1"], "")),
        ("# synapse: ignroe [SYN1] why", ("ignroe", ["SYN1"], "why")),
        ("# synapse: ignore-lines", ("ignore-lines", None, "")),
    ],
)
def test_a_directive_has_a_word_a_list_and_a_reason(
    text: str, expected: tuple[str, list[str] | None, str]
) -> None:
    assert said(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "# synapse: rules of the team",
        "# synapse ignore",
        "# synapse: region[1]",
        "# synapse: ingore this",
        "Write `# synapse: ignore` behind it.",
        "X=a#synapse: ignore",
        "a <!-- synapse: ignore --> b",
        "<!-- synapse: ignore",
        "<!-- # synapse: ignore -->",
        "# synapse:\nignore",
    ],
)
def test_anything_else_is_text_like_any_other(text: str) -> None:
    assert said(text) == []


def test_several_directives_may_end_a_line() -> None:
    text = (
        "a <!-- synapse: ignore[A] --> <!-- synapse: ignore[B] --> # synapse: ignore[C] <!-- c -->"
    )
    assert [listed for _, listed, _ in said(text)] == [["A"], ["B"], ["C"]]


@pytest.mark.parametrize(
    ("comments", "words"),
    [
        (CommentStyle.HASH, ["ignore", "ignore-file"]),
        (CommentStyle.MARKUP, ["ignore-next-line", "ignore-file"]),
        (CommentStyle.BOTH, ["ignore", "ignore-next-line", "ignore-file"]),
    ],
)
def test_a_file_has_the_comments_of_its_format(comments: CommentStyle, words: list[str]) -> None:
    text = "a # synapse: ignore\n<!-- synapse: ignore-next-line -->\n  # synapse: ignore-file\n"
    assert [word for word, _, _ in said(text, comments)] == words


def test_a_directive_knows_whether_its_line_has_anything_else() -> None:
    text = "  # synapse: ignore\na # synapse: ignore\n<!-- synapse: ignore --> # synapse: ignore\n"
    assert [d.alone for d in find_directives(text, CommentStyle.BOTH)] == [True, False, True, True]


@given(TEXTS | st.text(), EVERY)
def test_without_directives_every_place_stays_what_it_is(text: str, comments: CommentStyle) -> None:
    rest = blank_directives(text, comments)
    assert len(rest) == len(text)
    assert list(iter_lines(rest)) == list(iter_lines(text))
    assert all(a == b or a == " " for a, b in zip(rest, text, strict=True))
    for directive in find_directives(text, comments):
        assert not directive.span.cut(rest).strip()
        assert directive.word.span.cut(text) == directive.word.value
        assert all(s.span.cut(text) == s.value for s in directive.selectors)


@given(TEXTS, EVERY)
def test_what_is_left_has_no_directives(text: str, comments: CommentStyle) -> None:
    assert blank_directives(blank_directives(text, comments), comments) == blank_directives(
        text, comments
    )


def test_a_manifest_value_ends_before_a_directive() -> None:
    text = "X_STATE=active # synapse: ignore[SYN105]\nX_RECALL=a, b c # synapse: ignore\n"
    parsed = manifest.parse(text)
    assert parsed.problems == ()
    assert parsed.document.domains["X"].recall == ("a", "b c")
    assert parsed.document.entries[0].value.value == "active"
    assert parsed.document.text == text


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        (
            "X_RULE_0=a # synapse: ignore[SYN115] b\n# synapse: ignore-file\nX_RULE_1=b\n",
            ["a", "b"],
        ),
        ("X_RULE_0=a <!-- synapse: ignore -->\n", ["a"]),
        ("<!-- synapse: ignore-file -->\nX_RULE_0=a # kept\n", ["a # kept"]),
        ("# synapse: ignore-file[SYN3]\n- a\n  b <!-- synapse: ignore -->\n- c\n", ["a b", "c"]),
        ("- a\n# synapse: ignore-next-line\n  b\n", ["a b"]),
    ],
)
def test_no_directive_reaches_a_rule(text: str, texts: list[str]) -> None:
    parsed = domain_file.parse(text)
    assert [rule.text for rule in parsed.document.rules] == texts
    assert parsed.problems == ()
    assert all(rule.text_span.cut(text).startswith(rule.text[0]) for rule in parsed.document.rules)


def test_a_directive_is_no_heading() -> None:
    parsed = domain_file.parse("# Title\n\n# synapse: ignore-next-line[SYN801]\nA rule.\n")
    assert [(rule.text, rule.group) for rule in parsed.document.rules] == [("A rule.", "Title")]


def test_a_directive_above_a_heading_does_not_make_it_a_comment() -> None:
    parsed = domain_file.parse("# synapse: ignore-file\n# Title\nA rule.\n")
    assert [rule.group for rule in parsed.document.rules] == ["Title"]


def test_no_directive_reaches_a_star_command() -> None:
    text = "[*brief] COMMAND: # synapse: ignore\n# synapse: ignore-next-line\nBe brief. # synapse: ignore\n"
    (command,) = commands_file.parse(text).document.commands
    assert [rule.text for rule in command.rules] == ["Be brief."]


def test_no_directive_reaches_an_article_or_a_bracket() -> None:
    key = "CONSTITUTION_RULE_ART1_0=Tests First (MUST) # synapse: ignore\n"
    (article,) = constitution_file.parse(key).document.articles
    assert (article.title, article.severity) == ("Tests First", "MUST")
    text = "CONTEXT_RULE_FRESH_0=Explore. # synapse: ignore[SYN401]\n"
    (rule,) = context_file.parse(text).document.brackets["FRESH"]
    assert rule.text == "Explore."


def test_no_directive_reaches_a_criterion_of_a_story() -> None:
    text = """\
# synapse: ignore-file[SYN708]
# Story 1.2: Log in <!-- synapse: ignore -->

## Acceptance Criteria

- [ ] It works <!-- synapse: ignore[SYN805] -->
# synapse: ignore-next-line
- [ ] It is fast
"""
    document = story_file.parse(text).document
    assert [item.text for item in document.criteria] == ["It works", "It is fast"]
    assert document.title == story_file.parse("# Story 1.2: Log in\n").document.title


def test_no_directive_reaches_a_condition_of_a_task() -> None:
    text = "## Pre-conditions\n\n- [ ] A story exists <!-- synapse: ignore -->\n"
    (item,) = task_file.parse(text).document.preconditions
    assert item.text == "A story exists"


def test_no_directive_reaches_an_agent() -> None:
    text = "<!-- synapse: ignore-file -->\n# dev\n\n```yaml\nagent:\n  id: dev # synapse: ignore\n```\n"
    assert agent_definition.parse(text).document.id == "dev"
