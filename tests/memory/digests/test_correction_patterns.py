"""Corrections are told from all else that people say, in English, Portuguese and Spanish."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.memory.session_digest import find_corrections

SENTENCES = [
    (line[0] == "+", line[2:])
    for line in (Path(__file__).parent / "corrections.txt").read_text(encoding="utf-8").splitlines()
    if line[:2] in ("+ ", "- ")
]


def test_the_set_has_as_many_of_both() -> None:
    corrections = [text for is_correction, text in SENTENCES if is_correction]
    assert len(corrections) == len(SENTENCES) - len(corrections) == 100
    assert len({text for _, text in SENTENCES}) == 200


@pytest.mark.parametrize("part", [0, 1], ids=["tried", "held out"])
def test_corrections_are_found_and_little_else(part: int) -> None:
    found = [
        (is_correction, bool(find_corrections(text))) for is_correction, text in SENTENCES[part::2]
    ]
    right = sum(given and is_correction for is_correction, given in found)
    assert right >= 0.95 * sum(given for _, given in found)
    assert right >= 0.85 * sum(is_correction for is_correction, _ in found)
