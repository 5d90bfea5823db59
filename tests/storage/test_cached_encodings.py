"""Counting by an encoding of tiktoken, and by the estimate where there is none."""

from __future__ import annotations

import sys
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.compaction import (
    EncodingCounter,
    Message,
    SlidingWindowStrategy,
    TokenCounter,
)
from synapse_ls.library import find_counter
from tests.compaction.support import run

URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"


@pytest.fixture
def encoding() -> Any:
    """A small encoding: every byte, and two pairs."""
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed (group dev)")
    ranks = {bytes([number]): number for number in range(256)} | {b"ab": 256, b"abab": 257}
    return tiktoken.Encoding("small", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where tiktoken keeps files; the network is out of reach."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    load = pytest.importorskip("tiktoken.load", reason="tiktoken is not installed (group dev)")

    def read_file(path: str) -> bytes:
        raise OSError(f"{path} was asked of the network")

    monkeypatch.setattr(load, "read_file", read_file)
    return tmp_path


def test_tokens_are_those_of_the_encoding(encoding: Any) -> None:
    counter = EncodingCounter(encoding)
    assert counter.estimate_text("abab ab") == 3
    assert counter.estimate_messages([Message.user("abab ab")]) == 4 + 3
    assert counter.breakdown([Message.user("abab ab")]).total == 4 + 3
    assert counter == EncodingCounter(encoding) != TokenCounter()


def test_a_strategy_keeps_its_limit_by_the_encoding(encoding: Any) -> None:
    history = [Message.user("abab" * 4), Message.assistant("xyz" * 9)] * 5
    strategy = SlidingWindowStrategy(10, 100, EncodingCounter(encoding))
    assert strategy.token_estimate(run(strategy, history)) <= 100


def test_without_the_file_of_the_encoding_it_is_the_estimate(cache: Path) -> None:
    assert type(find_counter()) is TokenCounter


def test_with_the_file_it_is_the_encoding(
    cache: Path, encoding: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / sha1(URL.encode()).hexdigest()).write_bytes(b"")
    monkeypatch.setattr("tiktoken.get_encoding", lambda _: encoding)
    assert find_counter() == EncodingCounter(encoding)


def test_with_a_damaged_file_it_is_the_estimate(cache: Path) -> None:
    (cache / sha1(URL.encode()).hexdigest()).write_bytes(b"damaged")
    assert type(find_counter()) is TokenCounter


def test_without_tiktoken_it_is_the_estimate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / sha1(URL.encode()).hexdigest()).write_bytes(b"")
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert find_counter() == TokenCounter()


def test_an_encoding_that_nobody_has_gets_a_sentence() -> None:
    with pytest.raises(ValueError, match="there is no encoding mine, only o200k_base"):
        find_counter("mine")
    wrong: Any = "o200k_base"
    with pytest.raises(TypeError, match="an encoding has encode_ordinary"):
        EncodingCounter(wrong)
