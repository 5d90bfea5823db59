from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.span import WHITE_SPACE, Span, trim_span


def test_a_span_is_half_open() -> None:
    span = Span(2, 4)
    assert [span.contains(n) for n in (1, 2, 3, 4)] == [False, True, True, False]


def test_a_caret_touches_both_edges() -> None:
    span = Span(2, 4)
    assert [span.touches(n) for n in (1, 2, 4, 5)] == [False, True, True, False]


def test_a_span_cuts_its_piece_out_of_a_text() -> None:
    assert Span(1, 3).cut("a😀bc") == "😀b"
    assert Span(1, 3).length == 2
    assert Span(1, 3).shift(2) == Span(3, 5)


@given(st.text(st.sampled_from("a \t\ufeff\u2028\x85")), st.integers(0, 5), st.integers(0, 5))
def test_trim_takes_white_space_off_both_ends(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    span = trim_span(text, start, end)
    assert start <= span.start <= span.end <= end
    assert span.cut(text) == text[start:end].strip(WHITE_SPACE)
