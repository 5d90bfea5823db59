"""What is done together in the background, and what the worker does."""

from __future__ import annotations

import threading

from synapse_ls.lsp.background_work import Worker


async def test_a_worker_that_is_closed_does_what_was_asked_before_and_ends() -> None:
    worker = Worker("test")
    thread = await worker.run(threading.current_thread)
    last = worker.run(int)
    worker.close()
    assert await last == 0
    thread.join(timeout=60)
    assert not thread.is_alive()
