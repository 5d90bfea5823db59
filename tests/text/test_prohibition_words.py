"""The words by which a rule is known to forbid."""

from __future__ import annotations

import re
from pathlib import Path

from synapse_ls.text.prohibition_words import PROHIBITION_WORDS, forbids


def test_the_words_that_forbid_are_those_of_the_page() -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "tree.md"
    chapter = page.read_text(encoding="utf-8").partition("\n### What forbids\n")[2]
    rows = re.findall(r"^\| (\w+) \| (.+) \| (.+) \|$", chapter.partition("\n## ")[0], re.MULTILINE)
    listed = {
        language: (tuple(anywhere.split(", ")), tuple(first.split(", ")))
        for language, anywhere, first in rows
        if language != "language"
    }
    assert listed == PROHIBITION_WORDS


def test_a_word_that_forbids_is_whole_and_in_any_case() -> None:
    for anywhere, first in PROHIBITION_WORDS.values():
        assert all(forbids(f"Here {word.upper()}: it is") for word in anywhere)
        assert all(forbids(f"**{word.capitalize()}** tabs") for word in first)
    for text in ("Prefer tabs", "Notify the team", "Add an agenda", "It says no", "", "—"):
        assert not forbids(text), text
