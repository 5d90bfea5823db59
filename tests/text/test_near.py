from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.edit_distance import edit_distance, nearest_word

OPTIONS = ("STATE", "RECALL", "ALWAYS_ON", "AGENT_TRIGGER", "WORKFLOW_TRIGGER")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("RECAL", "RECALL"),
        ("SATTE", "STATE"),
        ("recall", "RECALL"),
        ("ALWAYSON", "ALWAYS_ON"),
        ("AGENT_TRIGER", "AGENT_TRIGGER"),
    ],
)
def test_a_slip_finds_the_word_that_was_meant(word: str, meant: str) -> None:
    assert nearest_word(word, OPTIONS) == meant


@pytest.mark.parametrize("word", ["", "SQUAD_TRIGGER", "TYPE", "PRIORITY", "DATE"])
def test_another_word_is_no_slip(word: str) -> None:
    assert nearest_word(word, OPTIONS) == ""


def test_a_correct_word_is_no_slip() -> None:
    assert nearest_word("STATE", ("STATS", "STATE")) == ""


@pytest.mark.parametrize(
    ("a", "b", "slips"), [("ab", "ba", 1), ("kitten", "sitting", 3), ("", "abc", 3), ("a", "a", 0)]
)
def test_slips_are_counted(a: str, b: str, slips: int) -> None:
    assert edit_distance(a, b, 5) == slips


@given(st.text("ab", max_size=8), st.text("ab", max_size=8), st.integers(0, 4))
def test_the_limit_only_cuts_off(a: str, b: str, limit: int) -> None:
    assert edit_distance(a, b, limit) == min(edit_distance(a, b, 99), limit + 1)
