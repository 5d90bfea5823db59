from __future__ import annotations

import codecs
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.decoding import REPORTED_RUNS, decode_text
from synapse_ls.text.span import Span


def kinds(data: bytes) -> list[tuple[str, Span]]:
    return [(problem.kind, problem.span) for problem in decode_text(data).problems]


def test_utf8_is_read_without_remark() -> None:
    decoded = decode_text("código 😀\n".encode())
    assert (decoded.text, decoded.bom, decoded.problems) == ("código 😀\n", False, ())


def test_a_byte_order_mark_is_taken_off() -> None:
    decoded = decode_text(codecs.BOM_UTF8 + b"A=b")
    assert (decoded.text, decoded.bom, decoded.problems) == ("A=b", True, ())


def test_a_mark_inside_the_text_stays() -> None:
    assert decode_text("a\ufeffb".encode()).text == "a\ufeffb"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_other_unicode_encodings_are_read_by_their_mark_and_reported(codec: str) -> None:
    decoded = decode_text("\ufeffDEV_STATE=é".encode(codec))
    assert decoded.text == "DEV_STATE=é"
    assert decoded.bom
    (problem,) = decoded.problems
    assert (problem.kind, problem.data) == ("not-utf8", (("encoding", codec),))


def test_half_a_utf16_character_is_reported() -> None:
    data = codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"c"
    assert kinds(data) == [("not-utf8", Span(0, 1)), ("invalid-utf8", Span(2, 3))]


def test_each_run_of_bad_bytes_is_one_problem_at_its_place() -> None:
    data = "é".encode() + b"\xff\xfe\xff" + "x😀".encode() + b"\xe2\x82" + b"y"
    assert decode_text(data).text == "é���x😀�y"
    assert kinds(data) == [("invalid-utf8", Span(1, 4)), ("invalid-utf8", Span(6, 7))]


def test_a_replacement_character_in_the_file_is_no_problem() -> None:
    assert kinds("a\ufffd".encode() + b"\xff" + "\ufffd".encode()) == [("invalid-utf8", Span(2, 3))]


def test_nul_characters_are_reported() -> None:
    assert kinds(b"a\0\0b\0") == [("nul-character", Span(1, 3)), ("nul-character", Span(4, 5))]


@pytest.mark.parametrize(
    ("data", "newline"),
    [
        (b"", "\n"),
        (b"a\r\nb\r\nc\n", "\r\n"),
        (b"a\nb\nc\r\n", "\n"),
        (b"a\rb\r", "\r"),
        (b"a\nb\r\n", "\n"),
    ],
)
def test_the_usual_line_break_is_told(data: bytes, newline: str) -> None:
    assert decode_text(data).newline == newline


@given(st.binary() | st.text().map(lambda text: text.encode("utf-16", "surrogatepass")))
def test_any_bytes_give_a_text_and_spans_inside_it(data: bytes) -> None:
    decoded = decode_text(data)
    for problem in decoded.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(decoded.text)


@given(st.binary())
def test_utf8_with_errors_reads_as_editors_read_it(data: bytes) -> None:
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        assert decode_text(data).text == data.decode("utf-8-sig", "replace")


@given(st.binary())
def test_reported_bytes_are_the_replaced_ones(data: bytes) -> None:
    decoded = decode_text(data.replace("\ufffd".encode(), b""))
    bad = [p.span for p in decoded.problems if p.kind == "invalid-utf8"]
    if len(bad) <= REPORTED_RUNS:
        assert sum(span.length for span in bad) == decoded.text.count("\ufffd")


def test_a_binary_file_has_a_bounded_number_of_problems() -> None:
    data = bytes(range(256)) * 4_000
    started = time.process_time()
    decoded = decode_text(data)
    assert time.process_time() - started < 1
    assert len(decoded.problems) == 2 * (REPORTED_RUNS + 1)
    assert decoded.problems[-1].span.end == len(decoded.text)
