"""When work in the background begins."""

from __future__ import annotations

import asyncio

from synapse_ls.lsp.background_work import Debouncer


async def test_a_burst_is_over_when_nothing_more_came_for_a_while() -> None:
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    call = Debouncer(done.set, 0.1, 60)
    begun = loop.time()
    call()
    await asyncio.sleep(0.05)
    call()
    await done.wait()
    assert loop.time() - begun >= 0.149


async def test_a_burst_that_does_not_end_is_cut_off() -> None:
    done = asyncio.Event()
    call = Debouncer(done.set, 60, 0.05)
    call()
    await asyncio.sleep(0.01)
    call()
    await asyncio.wait_for(done.wait(), 30)


async def test_who_cannot_wait_has_it_done_now_and_once() -> None:
    done: list[int] = []
    call = Debouncer(lambda: done.append(1), 0.01, 0.01)
    call()
    call.run_now()
    await asyncio.sleep(0.05)
    assert done == [1]


async def test_what_was_stopped_is_not_done() -> None:
    done: list[int] = []
    call = Debouncer(lambda: done.append(1), 0.01, 0.01)
    call()
    call.stop()
    await asyncio.sleep(0.05)
    assert done == []
