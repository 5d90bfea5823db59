"""The part of a file that ``synapse sync`` keeps is found, whatever is around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.managed_block import (
    END_MARK,
    HOOK,
    RULES,
    ManagedBlock,
    block_stamp,
    parse,
    render_managed_block,
)

BODY = "- Write small functions"
MARKS = st.sampled_from(
    (
        render_managed_block(RULES, BODY),
        END_MARK,
        "<!-- synapse:begin",
        "<!-- synapse:begin x -->",
        "```",
        "~~~",
        "\r",
    )
)
TEXTS = st.lists(st.one_of(st.text(), MARKS, st.just("\n"))).map("".join)


def found(text: str) -> ManagedBlock:
    document = parse(text).document
    assert document is not None
    return document


def test_the_block_is_what_is_between_the_marks() -> None:
    one = found(f"# Mine\n\n{render_managed_block(RULES, BODY)}\nMine, too\n")
    assert one.body.cut(one.text).strip() == BODY
    assert one.span.cut(one.text) == render_managed_block(RULES, BODY)
    assert one.kind == RULES
    assert not one.defect


def test_what_was_written_is_not_edited() -> None:
    assert not found(render_managed_block(HOOK, BODY)).is_edited(whole=False)


def test_an_edit_in_the_block_is_seen() -> None:
    assert found(render_managed_block(RULES, BODY).replace("small", "large")).is_edited(whole=False)


def test_an_edit_around_the_block_counts_only_where_the_file_is_ours() -> None:
    one = found(f"{render_managed_block(RULES, BODY)}\n\nMine")
    assert not one.is_edited(whole=False)
    assert one.is_edited(whole=True)


def test_line_breaks_of_another_kind_are_no_edit() -> None:
    assert not found(render_managed_block(RULES, BODY).replace("\n", "\r\n")).is_edited(whole=True)


def test_front_matter_belongs_to_the_stamp() -> None:
    front = "---\nglobs: a\n---\n\n"
    text = f"{front}{render_managed_block(RULES, BODY, before=front)}\n"
    assert not found(text).is_edited(whole=True)
    assert found(text.replace("globs: a", "globs: b")).is_edited(whole=True)


@pytest.mark.parametrize("fence", ["```", "````md", "~~~"])
def test_marks_in_a_fence_are_an_example(fence: str) -> None:
    close = fence.removesuffix("md")
    assert parse(f"{fence}\n{render_managed_block(RULES, BODY)}\n{close}\n").document is None


def test_a_fence_that_nothing_closes_hides_nothing() -> None:
    assert found(f"```\ncode\n\n{render_managed_block(RULES, BODY)}\n").kind == RULES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"a\n{END_MARK}\n", "without a beginning"),
        ("<!-- synapse:begin -->\na\n", "does not end"),
        (
            f"{render_managed_block(RULES, 'a')}\n{render_managed_block(RULES, 'b')}\n",
            "a second time",
        ),
    ],
)
def test_marks_that_do_not_pair_are_said(text: str, said: str) -> None:
    assert said in found(text).defect


@given(TEXTS)
def test_it_never_raises_and_places_lie_in_the_text(text: str) -> None:
    document = parse(text).document
    if document is not None:
        for span in (document.span, document.body, document.begin):
            assert 0 <= span.start <= span.end <= len(text)


@given(st.text())
def test_a_stamp_has_twelve_digits(text: str) -> None:
    assert len(block_stamp(text)) == 12
