"""Reading a file from its end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.integrations import transcript_tail
from synapse_ls.integrations.claude import transcript
from tests.integrations.transcripts.claude_records import answer
from tests.integrations.transcripts.support import lines_of


@pytest.fixture
def bytes_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each read gave."""
    sizes: list[int] = []

    def read(descriptor: int, size: int) -> bytes:
        data = os.read(descriptor, size)
        sizes.append(len(data))
        return data

    monkeypatch.setattr(transcript_tail, "read", read)
    return sizes


def backward(path: Path, **options: int) -> list[bytes]:
    return list(transcript_tail.lines_backward(str(path), **options))


@given(st.lists(st.binary(max_size=300).map(lambda b: b.replace(b"\n", b"")), max_size=40))
def test_every_line_comes_once_the_last_one_first(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("t") / "f"
    path.write_bytes(b"\n".join(lines))
    first, transcript_tail.FIRST_READ = transcript_tail.FIRST_READ, 7  # type: ignore[misc]
    try:
        assert backward(path) == [line for line in reversed(lines) if line]
    finally:
        transcript_tail.FIRST_READ = first  # type: ignore[misc]


def test_the_end_of_a_large_file_is_read_not_the_file(
    tmp_path: Path, bytes_read: list[int]
) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.seek(200_000_000)
        file.write(b"\n" + lines_of(answer(30_000), *({"type": "user"} for _ in range(40))))
    found = transcript.read_usage(str(path))
    assert found is not None and found["used"] == 30_000
    assert sum(bytes_read) < 1_000_000


def test_what_is_long_ago_is_not_looked_for(tmp_path: Path, bytes_read: list[int]) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.write(lines_of(answer(30_000)))
        file.seek(200_000_000)
        file.write(b"\n{}\n")
    assert transcript.read_usage(str(path)) is None
    assert sum(bytes_read) <= transcript_tail.DEEPEST_READ


def test_the_reading_widens_until_the_record_is_there(
    tmp_path: Path, bytes_read: list[int]
) -> None:
    path = tmp_path / "t.jsonl"
    filler = lines_of(*({"type": "user", "text": "x" * 100_000} for _ in range(20)))
    path.write_bytes(lines_of(answer(30_000)) + filler)
    found = transcript.read_usage(str(path))
    assert found is not None and found["used"] == 30_000
    assert len(bytes_read) < 8


def test_a_line_too_long_to_be_a_record_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"before\n" + b"x" * (transcript_tail.LONGEST_LINE + 1) + b"\nafter")
    assert backward(path) == [b"after", b"before"]


def test_a_line_that_is_cut_at_the_limit_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"first line\nsecond\nthird\n")
    assert backward(path, deepest=14) == [b"third", b"second"]
    assert backward(path, deepest=12) == [b"third"]


def test_a_file_that_shrinks_meanwhile_gives_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\n")
    monkeypatch.setattr(transcript_tail, "read", lambda _descriptor, _size: b"")
    assert backward(path) == []


def test_a_read_that_gives_less_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\n")
    monkeypatch.setattr(
        transcript_tail, "read", lambda descriptor, size: os.read(descriptor, min(size, 3))
    )
    assert backward(path) == [b"two", b"one"]


def test_what_is_no_file_has_no_lines(tmp_path: Path) -> None:
    assert backward(tmp_path) == []
    assert backward(tmp_path / "none") == []
    assert list(transcript_tail.lines_backward("a\0b")) == []
    assert list(transcript_tail.lines_backward("")) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_that_nobody_writes_into_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert backward(tmp_path / "pipe") == []


def test_a_file_of_somebody_else_has_no_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert backward(tmp_path / "f") == []


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_none(line: bytes) -> None:
    assert isinstance(transcript_tail.parse_record(line), dict)


def test_numbers_that_are_no_tokens_count_nothing() -> None:
    assert [transcript_tail.token_count(value) for value in (3, 0, -1, True, 2.5, "3", None)] == [
        3,
        0,
        0,
        0,
        0,
        0,
        0,
    ]
