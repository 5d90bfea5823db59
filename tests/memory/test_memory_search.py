"""Finding memories by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.memory.memory_index import (
    NO_MATCH,
    Match,
    RecordWords,
    make_query,
    make_typed_query,
    match_words,
    search_terms,
)
from synapse_ls.memory.memory_record import Record
from tests.memory.records import records

DEPLOY = Record(
    title="Não faça deploy às sextas",
    text="The database migrations run for hours; ask the operators.",
    tags=("deploy", "produção"),
)


def matched(text: str, record: Record = DEPLOY, *, begins: bool = False) -> Match:
    words = RecordWords.from_record(record)
    return match_words(make_typed_query(text), [words], allow_prefix=begins)[0]


def found(text: str, *, begins: bool = False) -> float:
    return matched(text, begins=begins).relevance


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
    assert found("oper") == 0
    assert found("oper", begins=True) > 0
    assert found("atabase", begins=True) == 0


def test_a_word_of_the_title_is_worth_more_than_one_of_the_text() -> None:
    title, text = (matched(f"{word} kubernetes").relevance for word in ("sextas", "operators"))
    assert title > text > 0


def test_it_is_told_what_matched_and_where() -> None:
    hit = matched("ask hours kubernetes producao")
    assert hit.matches == (("ask", "text"), ("hours", "text"), ("producao", "tag"))
    assert hit.description == "text ask, hours; tag producao"
    assert hit.share == pytest.approx(3 / 4)


def test_a_greeting_matches_nothing_unless_somebody_searches_for_it() -> None:
    words = [RecordWords.from_record(Record(title="Good morning"))]
    assert match_words(make_query("good morning"), words) == [NO_MATCH]
    assert match_words(make_typed_query("good morning"), words)[0].relevance > 0


def test_what_is_at_work_does_not_water_down_what_is_asked() -> None:
    words = [RecordWords.from_record(DEPLOY)]
    names = ["src/auth/login_form.py", "src/shop/basket/checkout.ts"]
    (alone,), (both,) = (match_words(make_query("deploy", more), words) for more in ((), names))
    assert both.relevance == alone.relevance


def test_names_of_files_are_words_too() -> None:
    words = [RecordWords.from_record(DEPLOY)]
    (hit,) = match_words(make_query("", ["src/database-migrations.sql"]), words)
    assert [word for word, _ in hit.matches] == ["database", "migrations"]


def test_scripts_without_spaces_are_found_by_their_characters() -> None:
    tests = Record(title="数据库测试")
    assert matched("测试", tests).relevance > 0
    assert matched("部署", tests).relevance == 0


@given(records(), st.text(max_size=40))
def test_a_relevance_is_between_nothing_and_one(record: Record, text: str) -> None:
    hit = matched(text, record, begins=True)
    assert 0 <= hit.relevance <= 1
    assert hit.matches or hit.relevance == 0


@given(st.text(max_size=60))
def test_every_text_is_found_by_its_own_words(text: str) -> None:
    asked = search_terms(text)
    assert len(matched(text, Record(title="t", text=text)).matches) == len(asked)
