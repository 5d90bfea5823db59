"""Finding memories by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.memory.record import Record
from synapse_ls.memory.search import TAG, TEXT, TITLE, Words, match, query, terms
from tests.memory.records import records

DEPLOY = Record(
    title="Não faça deploy às sextas",
    text="The database migrations run for hours; ask the operators.",
    tags=("deploy", "produção"),
)


def found(text: str, *, begins: bool = False) -> float:
    return match(query(text), Words.of(DEPLOY), begins=begins).relevance


@pytest.mark.parametrize(
    "text",
    [
        "DEPLOY",
        "producao",
        "Produção!",
        "deploys",
        "sexta",
        "database",
        "migration",
        "the operator",
    ],
)
def test_case_accents_and_plural_make_no_difference(text: str) -> None:
    assert found(text) > 0


@pytest.mark.parametrize(
    "text", ["", "   ", "the and of", "o que é isso", "kubernetes", "data", "x"]
)
def test_what_is_about_something_else_is_not_found(text: str) -> None:
    assert found(text) == 0


def test_whole_words_match_and_beginnings_only_by_hand() -> None:
    assert found("migrat") == 0
    assert found("migrat", begins=True) > 0
    assert found("atabase", begins=True) == 0


def test_a_tag_is_worth_more_than_the_title_and_that_more_than_the_text() -> None:
    assert found("producao") == TAG
    assert found("sextas") == TITLE
    assert found("operators") == TEXT


def test_it_is_told_what_matched_and_where() -> None:
    hit = match(query("deploy hours kubernetes"), Words.of(DEPLOY))
    assert hit.found == (("deploy", "tag"), ("hour", "text"))
    assert hit.told == "tag deploy; text hour"
    assert hit.share == pytest.approx(2 / 3)


def test_names_of_files_are_words_too() -> None:
    assert query("", ["src/database-migrations.sql"]) == ("src", "database", "migration", "sql")


def test_scripts_without_spaces_are_found_by_their_characters() -> None:
    tests = Record(title="数据库测试")
    assert match(query("测试"), Words.of(tests)).relevance > 0
    assert match(query("部署"), Words.of(tests)).relevance == 0


@given(records(), st.text(max_size=40))
def test_a_relevance_is_between_nothing_and_one(record: Record, text: str) -> None:
    hit = match(query(text), Words.of(record), begins=True)
    assert 0 <= hit.relevance <= 1
    assert bool(hit.found) == (hit.relevance > 0)


@given(st.text(max_size=60))
def test_every_text_is_found_by_its_own_words(text: str) -> None:
    asked = terms(text)
    hit = match(tuple(asked), Words.of(Record(title="t", text=text)))
    assert len(hit.found) == len(asked)
