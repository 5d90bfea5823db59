from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits, minimal_edit, shift_span


def edit(start: int, end: int, new: str) -> TextEdit:
    return TextEdit(Span(start, end), new)


def test_edits_speak_of_the_text_before_any_of_them() -> None:
    assert apply_edits("abcdef", [edit(4, 5, "EEE"), edit(0, 2, "")]) == "cdEEEf"


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply_edits("ab", [edit(1, 1, "1"), edit(1, 1, "2"), edit(1, 2, "B")]) == "a12B"


def test_edits_may_touch() -> None:
    assert apply_edits("abcd", [edit(2, 4, "y"), edit(0, 2, "x")]) == "xy"


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply_edits("abcd", [edit(0, 3, ""), edit(2, 4, "")])


@pytest.mark.parametrize("span", [(-1, 1), (3, 2), (2, 5)])
def test_an_edit_outside_the_text_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not inside"):
        apply_edits("abcd", [edit(*span, "")])


@given(st.lists(st.tuples(st.text(), st.text(), st.text())))
def test_a_text_is_its_kept_and_changed_pieces(parts: list[tuple[str, str, str]]) -> None:
    before, edits = "", []
    for kept, old, new in parts:
        before += kept
        edits.append(edit(len(before), len(before) + len(old), new))
        before += old
    assert apply_edits(before, edits) == "".join(kept + new for kept, _, new in parts)


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_the_difference_of_two_texts_leads_from_one_to_the_other(old: str, new: str) -> None:
    change = minimal_edit(old, new)
    assert apply_edits(old, [change]) == new
    if change.new_text and change.span.length:
        assert old[change.span.start] != change.new_text[0]
        assert old[change.span.end - 1] != change.new_text[-1]


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (edit(0, 0, "12"), (6, 9)),
        (edit(4, 4, "12"), (6, 9)),
        (edit(7, 7, "12"), (4, 7)),
        (edit(5, 5, "12"), (4, 9)),
        (edit(5, 6, ""), (4, 6)),
        (edit(2, 5, "1"), (3, 5)),
        (edit(6, 9, "1"), (4, 6)),
        (edit(3, 4, ""), (3, 6)),
        (edit(4, 7, ""), None),
        (edit(3, 9, "123456789"), None),
    ],
)
def test_a_place_is_carried_through_an_edit(
    change: TextEdit, after: tuple[int, int] | None
) -> None:
    assert shift_span(Span(4, 7), change) == after
