"""Whole-word matching."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.word_matching import (
    EXCLUDE,
    RECALL,
    compile_keywords,
    contains_word,
    fold_text,
    match_keywords,
)


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("test", "run the TEST now"),
        ("unit test", "a unit\n  test here"),
        ("código", "revise o CODIGO"),
        ("codigo", "revise o código"),
        (".git", "look into .git/config"),
        ("c++", "port it to C++, please"),
        ("/lean:", "/lean:do"),
        ("etl", "the (etl) step"),
        ("測試", "請測試代碼"),
        ("straße", "die STRASSE"),
        ("++", "i++ again"),
    ],
)
def test_a_keyword_matches_as_whole_words(keyword: str, text: str) -> None:
    assert contains_word(fold_text(text), fold_text(keyword))


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("test", "the latest contest"),
        ("ui", "building a guide"),
        ("test", "test_helper"),
        (".git", "see foo.github"),
        ("c++", "abc++"),
        ("unit test", "unit, test"),
        ("", "anything"),
    ],
)
def test_a_keyword_does_not_match_inside_a_word(keyword: str, text: str) -> None:
    assert not contains_word(fold_text(text), fold_text(keyword))


def test_the_table_reports_the_words_as_they_are_written_longest_first() -> None:
    table = compile_keywords([("Test", 0, RECALL), ("unit test", 0, RECALL), ("ui", 0, EXCLUDE)])
    found = match_keywords(table, fold_text("Write a unit test for the UI"))
    assert found.recall == {0: ("unit test", "Test")}
    assert found.excludes == {0: "ui"}


def test_substring_matching_is_carls() -> None:
    table = compile_keywords([("test", 0, RECALL)])
    assert not match_keywords(table, fold_text("the latest")).recall
    assert match_keywords(table, fold_text("the latest"), substring=True).recall == {0: ("test",)}


@given(st.lists(st.text(max_size=8), max_size=6), st.text(max_size=60))
def test_the_table_finds_exactly_what_a_search_for_each_keyword_finds(
    keywords: list[str], prompt: str
) -> None:
    folded = fold_text(prompt)
    found = match_keywords(
        compile_keywords((k, i, RECALL) for i, k in enumerate(keywords)), folded
    ).recall
    assert set(found) == {i for i, k in enumerate(keywords) if contains_word(folded, fold_text(k))}


LARGE = [(f"Word{number % 300}", number, RECALL) for number in range(900)]
LARGE_TABLE = compile_keywords(LARGE)


@given(st.sets(st.integers(0, 400), max_size=40))
def test_a_large_table_finds_the_same_whatever_was_looked_up_before(numbers: set[int]) -> None:
    folded = " ".join(f"word{number}" for number in sorted(numbers))
    found = match_keywords(LARGE_TABLE, folded).recall
    assert found == {owner: (word,) for word, owner, _ in LARGE if owner % 300 in numbers}
    assert match_keywords(LARGE_TABLE, folded, substring=True).recall.keys() >= found.keys()


@given(st.text(), st.text(min_size=1).filter(lambda t: bool(fold_text(t))))
def test_a_keyword_set_apart_by_spaces_is_always_found(prompt: str, keyword: str) -> None:
    assert contains_word(fold_text(f"{prompt} {keyword} {prompt}"), fold_text(keyword))


@pytest.mark.parametrize(
    ("keyword", "texts"),
    [
        ("test", ["tests", "testing", "tested"]),
        ("testing", ["test", "tests"]),
        ("migration", ["migrations"]),
        ("deploy", ["deploys", "deployed"]),
        ("release", ["releasing", "released", "releases"]),
        ("query", ["queries", "querying"]),
        ("branches", ["branch"]),
        ("plan", ["planning", "planned"]),
        ("unit test", ["unit tests", "unit testing"]),
        ("migração", ["migrações"]),
        ("migraciones", ["migración"]),
        ("teste unitário", ["testes unitários"]),
    ],
)
def test_a_keyword_matches_its_inflections_only_where_its_domain_asks(
    keyword: str, texts: list[str]
) -> None:
    rows = [(keyword, 0, RECALL), (keyword, 1, RECALL)]
    table = compile_keywords(rows, inflected={1})
    for text in texts:
        assert match_keywords(table, fold_text(f"see {text} now")).recall == {1: (keyword,)}
    assert match_keywords(table, fold_text(keyword)).recall == {0: (keyword,), 1: (keyword,)}


@given(st.text(max_size=30))
def test_any_keyword_can_be_inflected(keyword: str) -> None:
    compile_keywords([(keyword, 0, RECALL)], inflected={0})
