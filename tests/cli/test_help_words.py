"""Words that commands print, explained where somebody asks: `synapse help WORD`."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.generated.command_pages import words_page
from synapse_ls.cli.glossary import MEANINGS, all_words
from tests.cli.conftest import Synapse

PAGE = Path(__file__).parent.parent.parent / "docs" / "glossary.md"


@pytest.mark.parametrize("word", ["bracket", "Bracket", "brackets", "FRESH"])
def test_a_word_is_explained_in_every_form(synapse: Synapse, word: str) -> None:
    done = synapse("help", word)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("bracket: How much of the context window is left")


@pytest.mark.parametrize("word", all_words())
def test_every_word_has_a_meaning_without_markup(synapse: Synapse, word: str) -> None:
    done = synapse("help", *word.split())
    assert done.code == 0
    names, _, meaning = done.out.partition("\n")[0].partition(": ")
    assert word in names.split(", ")
    assert meaning.endswith(".") and "](" not in meaning


@pytest.mark.parametrize(
    ("word", "beginning"),
    [
        ("window", "bracket: How much of the context window"),
        ("sleeping", "active, inactive: A domain or layer is active if"),
        ("late", "deferred: A rule is deferred if"),
        ("cut", "budget: How many tokens a block may have. A rule that has no room is cut"),
        ("star-commands", "star-command: A word with a star in a prompt, such as `*review`."),
    ],
)
def test_what_reports_say_is_explained(synapse: Synapse, word: str, beginning: str) -> None:
    assert synapse("help", word).out.startswith(beginning)


def test_where_there_is_more_is_said(synapse: Synapse) -> None:
    assert synapse("help", "profile").out.splitlines()[1].endswith("docs/profiles.md")


def test_all_words_are_listed_under_what_they_are_about(synapse: Synapse) -> None:
    done = synapse("help", "words")
    assert (done.code, done.err) == (0, "")
    listed = [word for line in done.out.splitlines()[1::2] for word in line.strip().split(", ")]
    assert listed == all_words()
    assert done.out.startswith("What you write:\n  tree, manifest, domain, rule,")
    assert "`synapse help words` the words" in synapse("help", "frobnicate").err


def test_there_are_at_most_twenty_five_words() -> None:
    assert len([names for words in MEANINGS.values() for names in words]) <= 25


def test_the_page_of_words_says_the_same() -> None:
    assert PAGE.read_text(encoding="utf-8") == words_page()


def test_reports_say_what_a_bracket_is(synapse: Synapse, team: Path) -> None:
    for command in ("status", "explain"):
        assert (
            "bracket   FRESH: 100% of the context window left (default)\n" in synapse(command).out
        )


def test_a_word_that_is_a_command_too_has_both(synapse: Synapse) -> None:
    done = synapse("help", "domain")
    assert done.out.startswith("domain: A group of rules")
    assert done.out.endswith(synapse("domain", "--help").out)


def test_a_word_that_nobody_knows_is_an_error(synapse: Synapse) -> None:
    done = synapse("help", "frobnicate")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: `synapse` has no command and no word frobnicate.")
    assert "Did you mean `synapse help bracket`?" in synapse("help", "brackt").err
    assert "Did you mean `synapse help check`?" in synapse("help", "chekc").err
