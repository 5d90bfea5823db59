"""Named sections, in the configuration and in JSON."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats import config_file
from synapse_ls.formats.config_settings import SectionSpec
from synapse_ls.queries.context_question import parse_sections
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.user_error import UserError
from tests.support import mark

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["label", "content", "file", "priority", "sections", "x"]), inner
        )
    ),
    max_leaves=12,
)


def found(fixture: str) -> list[tuple[str, str]]:
    """(text at the problem, its message) for each; the marks are where the problems are."""
    marked = mark(fixture)
    problems = config_file.parse(marked.text).problems
    assert [problem.span for problem in problems] == list(marked.spans)
    return [(problem.span.cut(marked.text), problem.message) for problem in problems]


def test_sections_are_read_in_the_order_in_which_they_are_written() -> None:
    document = config_file.parse(
        '[[section]]\nlabel = "B"\ncontent = "b"\npriority = 2\n'
        '[[section]]\nlabel = "A"\nfile = "./docs/a.md"\nevery_n_turns = 3\non_tokens = 0\n'
    ).document
    assert document.section == (
        SectionSpec("B", "b", priority=2),
        SectionSpec("A", file="docs/a.md", every_n_turns=3, on_tokens=0),
    )
    assert document.paths.sections == ("docs/a.md",)


@pytest.mark.parametrize(
    ("fixture", "message"),
    [
        ("«section» = 3", "is not a list of tables (write `[[section]]`)"),
        ('[[«section»]]\ncontent = "a"\n', "has no `label`"),
        ('[[«section»]]\nlabel = "a"\n', "has neither `content` nor `file`"),
        (
            '[[«section»]]\nlabel = "a"\ncontent = "b"\nfile = "c"\n',
            "has both `content` and `file`",
        ),
        ('[[section]]\nlabel = "a"\ncontent = "b"\n«prio» = 1\n', "There is no setting"),
        (
            '[[section]]\nlabel = "a"\ncontent = "b"\npriority = «"high"»\n',
            "is not a whole number",
        ),
        ('[[section]]\nlabel = "a"\ncontent = "b"\nevery_n_turns = «0»\n', "is less than 1"),
    ],
)
def test_what_is_wrong_is_reported_at_its_place(fixture: str, message: str) -> None:
    fixture = fixture.replace("«section» = 3", "section = «3»")
    ((_, said),) = found(fixture)
    assert message in said


def test_a_section_whose_file_leads_out_is_left_out() -> None:
    text = '[[section]]\nlabel = "a"\nfile = "../b"\n[[section]]\nlabel = "c"\ncontent = ""\n'
    document, problems = config_file.parse(text)
    assert [spec.label for spec in document.section] == ["c"]
    (problem,) = problems
    assert (problem.kind, problem.span.cut(text)) == ("path-leaves-root", '"../b"')
    assert problem.message.endswith("is not below the root, so its table is ignored.")


def test_a_list_of_json_is_read() -> None:
    assert parse_sections('[{"label": "A", "content": "a", "priority": -1}]') == (
        SectionSpec("A", "a", priority=-1),
    )
    assert parse_sections('{"sections": [{"label": "A", "file": "a.md"}]}') == (
        SectionSpec("A", file="a.md"),
    )


@given(ANYTHING)
def test_any_json_is_read_or_refused_in_one_sentence(value: object) -> None:
    try:
        sections = parse_sections(dumps(value))
    except UserError as error:
        assert str(error).endswith(".")
        assert "\n" not in str(error)
    else:
        assert all(isinstance(section, SectionSpec) for section in sections)
