"""What is done together, and what alone."""

from __future__ import annotations

from synapse_ls.lsp.background_work import PathCollector


def test_only_the_first_of_what_waits_has_to_be_told() -> None:
    gathered = PathCollector()
    assert gathered.add(["a"])
    assert not gathered.add(["b", "a"])
    assert gathered.take() == {"a", "b"}


def test_what_comes_after_it_was_taken_has_to_be_told_again() -> None:
    gathered = PathCollector()
    gathered.add(["a"])
    gathered.take()
    assert gathered.add(["b"])
    assert gathered.take() == {"b"}
    assert gathered.take() == frozenset()
