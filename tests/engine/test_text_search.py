"""Finding texts by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.text_search import (
    WEIGHTS,
    compile_index,
    count_terms,
    extract_terms,
    reinforcement_bonus,
    search_index,
    stem_word,
)
from synapse_ls.engine.word_matching import fold_text


def scores(query: str, *bodies: str, field: str = "body") -> dict[int, int]:
    index = compile_index(
        (number, {field: count_terms(body)}) for number, body in enumerate(bodies)
    )
    return {
        n: found.score for n, found in search_index(index, extract_terms(fold_text(query))).items()
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("migrations", "migration"),
        ("queries", "query"),
        ("boxes", "box"),
        ("deployed", "deploy"),
        ("running", "run"),
        ("caches", "caching"),
        ("migrações", "migração"),
        ("jornais", "jornal"),
        ("flores", "flor"),
        ("PORTUÁRIOS", "portuario"),
        ("viagens", "viagem"),
    ],
)
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert stem_word(fold_text(one)) == stem_word(fold_text(other))


@pytest.mark.parametrize(("one", "other"), [("class", "clas"), ("status", "state"), ("bus", "bu")])
def test_other_words_are_not(one: str, other: str) -> None:
    assert stem_word(one) != stem_word(other)


def test_words_that_say_nothing_find_nothing() -> None:
    assert scores("the of and, para uma que", "the of and para uma que") == {}


def test_case_and_accents_make_no_difference() -> None:
    assert scores("COMUNICAÇÃO", "comunicacao").keys() == {0}


def test_every_character_of_a_script_without_spaces_counts() -> None:
    assert scores("予約", "予約の移行", "other").keys() == {0}


def test_a_rare_word_is_worth_more_than_a_common_one() -> None:
    found = scores("sql cache", "sql", "cache", "cache too", "cache also")
    assert found[0] > found[1]


def test_fields_have_their_weights() -> None:
    index = compile_index((n, {field: count_terms("sql")}) for n, field in enumerate(WEIGHTS))
    found = search_index(index, extract_terms("sql"))
    by_field = {field: found[n].parts[field] for n, field in enumerate(WEIGHTS)}
    assert by_field["title"] == by_field["tags"] > by_field["path"] > by_field["index"]
    assert by_field["index"] > by_field["body"] > 0


def test_a_word_of_a_long_text_is_worth_less() -> None:
    found = scores("sql", "sql", "sql " + "padding " * 200)
    assert found[0] > found[1]


def test_reinforcement_grows_ever_more_slowly() -> None:
    steps = [reinforcement_bonus(n + 1) - reinforcement_bonus(n) for n in range(20)]
    assert reinforcement_bonus(0) == 0
    assert steps == sorted(steps, reverse=True)
    assert all(step > 0 for step in steps)


@given(st.lists(st.text(), max_size=8), st.text())
def test_the_order_of_texts_changes_no_score(bodies: list[str], query: str) -> None:
    found = scores(query, *bodies)
    back = scores(query, *reversed(bodies))
    last = len(bodies) - 1
    assert {last - number: score for number, score in back.items()} == found


@given(st.text(), st.text())
def test_any_text_can_be_searched(body: str, query: str) -> None:
    for found in scores(query, body, field="title").values():
        assert found > 0
