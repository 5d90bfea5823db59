"""What is done together in the background, and what the worker does."""

from __future__ import annotations

import threading

from synapse_ls.lsp.background_work import PathCollector, Worker


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


async def test_a_worker_that_is_closed_does_what_was_asked_before_and_ends() -> None:
    worker = Worker("test")
    thread = await worker.run(threading.current_thread)
    last = worker.run(int)
    worker.close()
    assert await last == 0
    thread.join(timeout=60)
    assert not thread.is_alive()
