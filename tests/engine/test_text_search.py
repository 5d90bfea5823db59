"""Finding texts by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.systems.brainiac.layers import reinforcement_bonus
from synapse_ls.engine.text_search import (
    WEIGHTS,
    compile_index,
    count_terms,
    extract_terms,
    question_terms,
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


def test_a_word_of_a_title_is_worth_more_than_one_of_another_field() -> None:
    index = compile_index((n, {field: count_terms("sql")}) for n, field in enumerate(WEIGHTS))
    found = search_index(index, extract_terms("sql"))
    others = {field: found[n].parts[field] for n, field in enumerate(WEIGHTS)}
    assert others.pop("title") > max(others.values())
    assert min(others.values()) > 0


def test_fields_are_added_up_before_they_are_saturated() -> None:
    index = compile_index([(0, {"title": count_terms("sql"), "body": count_terms("sql")}), (1, {})])
    alone = compile_index([(0, {"title": count_terms("sql")}), (1, {})])
    both, one = (search_index(held, extract_terms("sql"))[0] for held in (index, alone))
    assert both.score < 2 * one.score
    assert both.score == sum(both.parts.values()) > one.score


def test_relevance_is_the_share_of_the_question_that_is_answered() -> None:
    index = compile_index([(0, {"body": count_terms("cache invalidation")}), (1, {})])
    whole, half = (
        search_index(index, extract_terms(asked))[0].relevance
        for asked in ("cache invalidation", "cache kubernetes")
    )
    assert half < whole <= 1000


@pytest.mark.parametrize(
    "text",
    ["hello there", "thanks", "ok go on", "Sim, pode continuar!", "bom dia", "", "what next?"],
)
def test_what_asks_nothing_has_no_terms(text: str) -> None:
    assert question_terms(fold_text(text)) == {}


def test_a_question_after_a_greeting_is_one() -> None:
    assert "cach" in question_terms(fold_text("Hello, thanks! And the cache?"))


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
