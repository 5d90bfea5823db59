"""Memories are found better than by plain BM25, and cost less."""

from __future__ import annotations

import pytest

from tests.memory.retrieval.evaluation import (
    Figures,
    measure,
    notes_of,
    ours,
    plain_bm25,
    questions_of,
    set_names,
)


@pytest.fixture(params=set_names(), scope="module")
def figures(request: pytest.FixtureRequest) -> tuple[Figures, Figures]:
    """What our search and plain BM25 are worth on a set."""
    name: str = request.param
    questions = questions_of(name)
    return measure(name, ours(name), questions), measure(name, plain_bm25(name), questions)


@pytest.mark.parametrize("name", set_names())
def test_a_set_is_whole(name: str) -> None:
    notes, questions = notes_of(name), questions_of(name)
    paths = [note.path for note in notes]
    assert len(paths) == len(set(paths)) >= 200
    assert len(questions) == len({one.text for one in questions}) >= 60
    assert {one.kind for one in questions} == {"", "-", "!"}
    assert {path for one in questions for path in one.answers} <= set(paths)


def test_the_best_memory_is_a_right_one_more_often(figures: tuple[Figures, Figures]) -> None:
    found, bar = figures
    assert found.first > bar.first
    assert found.mrr > bar.mrr


def test_a_right_memory_is_told_more_often(figures: tuple[Figures, Figures]) -> None:
    found, bar = figures
    assert found.told >= bar.told
    assert found.recall >= bar.recall


def test_fewer_tokens_are_told(figures: tuple[Figures, Figures]) -> None:
    found, bar = figures
    assert found.tokens < 0.75 * bar.tokens
    assert found.unanswered < 0.75 * bar.unanswered


def test_what_asks_nothing_brings_nothing(figures: tuple[Figures, Figures]) -> None:
    found, _ = figures
    assert found.quiet == 1
