"""Finding memories by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.memory.record import Record
from synapse_ls.memory.word_search import (
    TAG_WEIGHT,
    TEXT_WEIGHT,
    TITLE_WEIGHT,
    RecordWords,
    match_words,
    query_terms,
    search_terms,
)
from tests.memory.records import records

DEPLOY = Record(
    title="Não faça deploy às sextas",
    text="The database migrations run for hours; ask the operators.",
    tags=("deploy", "produção"),
)


def found(text: str, *, begins: bool = False) -> float:
    return match_words(
        query_terms(text), RecordWords.from_record(DEPLOY), allow_prefix=begins
    ).relevance


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
    assert found("producao") == TAG_WEIGHT
    assert found("sextas") == TITLE_WEIGHT
    assert found("operators") == TEXT_WEIGHT


def test_it_is_told_what_matched_and_where() -> None:
    hit = match_words(query_terms("deploy hours kubernetes"), RecordWords.from_record(DEPLOY))
    assert hit.matches == (("deploy", "tag"), ("hour", "text"))
    assert hit.description == "tag deploy; text hour"
    assert hit.share == pytest.approx(2 / 3)


def test_names_of_files_are_words_too() -> None:
    assert query_terms("", ["src/database-migrations.sql"]) == (
        "src",
        "database",
        "migration",
        "sql",
    )


def test_scripts_without_spaces_are_found_by_their_characters() -> None:
    tests = Record(title="数据库测试")
    assert match_words(query_terms("测试"), RecordWords.from_record(tests)).relevance > 0
    assert match_words(query_terms("部署"), RecordWords.from_record(tests)).relevance == 0


@given(records(), st.text(max_size=40))
def test_a_relevance_is_between_nothing_and_one(record: Record, text: str) -> None:
    hit = match_words(query_terms(text), RecordWords.from_record(record), allow_prefix=True)
    assert 0 <= hit.relevance <= 1
    assert bool(hit.matches) == (hit.relevance > 0)


@given(st.text(max_size=60))
def test_every_text_is_found_by_its_own_words(text: str) -> None:
    asked = search_terms(text)
    hit = match_words(tuple(asked), RecordWords.from_record(Record(title="t", text=text)))
    assert len(hit.matches) == len(asked)
