from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.markdown_outline import LABEL_LEVEL, first_fence, parse_outline, title_slug
from tests.support import mark


def titles(text: str) -> list[tuple[int, str]]:
    return [(section.level, section.title.value) for section in parse_outline(text).sections[1:]]


def test_headings_open_sections_with_the_place_of_their_title() -> None:
    text, (first, second) = mark("# «One»\ntext\n### «Two» ##\n")
    sections = parse_outline(text).sections[1:]
    assert [(s.level, s.title.span) for s in sections] == [(1, first), (3, second)]


def test_the_text_before_the_first_heading_is_a_section_without_title() -> None:
    first = parse_outline("intro\n\n# One\n").sections[0]
    assert (first.level, first.title.value, first.lines[0].text) == (0, "", "intro")


def test_a_line_of_bold_text_is_a_heading_below_all_others() -> None:
    text = "## A\n**New files:**\n- x\n✅ **Done**\n**Status:** Draft\n"
    assert titles(text) == [(2, "A"), (LABEL_LEVEL, "New files:"), (LABEL_LEVEL, "Done")]


def test_a_hash_without_a_space_is_no_heading() -> None:
    assert titles("#tag\n####### seven\n") == []


def test_sections_know_what_they_are_nested_in() -> None:
    document = parse_outline("# A\n## B\n### C\n## D\n")
    a, b, c, d = document.sections[1:]
    assert [section.title.value for section in document.parents(c)] == ["B", "A"]
    assert document.with_subsections(b) == (b, c)
    assert document.with_subsections(a) == (a, b, c, d)


def test_fences_hide_headings_and_keep_their_language_and_place() -> None:
    text, (body,) = mark("```YAML title\n«# no heading\na: 1\n»```\n# Heading\n")
    document = parse_outline(text)
    assert [(f.language, f.body) for f in document.fences] == [("yaml", body)]
    assert titles(text) == [(1, "Heading")]


def test_a_fence_closes_with_as_many_marks_as_it_opened() -> None:
    assert titles("````\n```\n# no\n````\n# yes\n~~~\n```\n# no\n~~~\n") == [(1, "yes")]


def test_inline_code_opens_no_fence() -> None:
    assert titles("```code``` and text\n# yes\n") == [(1, "yes")]


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    text, (body,) = mark("```\n«# no\n»")
    assert parse_outline(text).fences[0].body == body


def test_front_matter_is_no_part_of_the_sections() -> None:
    text, (front,) = mark("---\n«# note\nname: x\n»---\n# Title\n")
    document = parse_outline(text)
    assert document.front == front
    assert document.title is not None
    assert document.title.value == "Title"


def test_a_rule_that_opens_a_file_is_no_front_matter() -> None:
    document = parse_outline("---\n\n## Modes\n\n**Choose one:**\n\n---\n\n# Title\n")
    assert document.front is None
    assert document.title is not None


def test_front_matter_that_never_ends_is_none() -> None:
    assert parse_outline("---\nname: x\n").front is None


def test_what_stands_in_an_html_comment_is_read() -> None:
    assert titles("<!--\n## Inside\n-->\n") == [(2, "Inside")]


def test_a_title_slug_leaves_out_what_decorates_a_title() -> None:
    assert title_slug("✅ 3. Acceptance Criteria (AC) - v2") == "acceptance criteria"
    assert title_slug("Critérios de Aceitação:") == "criterios de aceitacao"
    assert title_slug("2024") == "2024"


@given(st.text())
def test_any_text_is_taken_apart_with_lines_inside_it(text: str) -> None:
    document = parse_outline(text)
    for section in document.sections:
        for line in section.lines:
            assert line.span.cut(text) == line.text
    for fence in document.fences:
        assert 0 <= fence.body.start <= fence.body.end <= len(text)


LINES = (
    "```yaml", "```", "````md", "````", "~~~ a`b", "~~~", "> ```yaml", "  ```  ", "```js x", "```a`b",
    "agent:", "---", "",
)  # fmt: skip


@given(st.lists(st.sampled_from(LINES)).map("\n".join))
def test_the_first_fence_is_that_of_the_outline(text: str) -> None:
    first = first_fence(text)
    assert first is None or first == parse_outline(text).fences[0]


def test_the_first_fence_is_known_without_the_outline() -> None:
    text = "# Dev\n\n```yaml\nagent: x\n```\n"
    first = first_fence(text)
    assert first and first.language == "yaml" and first.body.cut(text) == "agent: x\n"
