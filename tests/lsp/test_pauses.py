"""When work in the background begins."""

from __future__ import annotations

import asyncio

import pytest

from synapse_ls.lsp.background_work import Debouncer


class Clock:
    """The clock of the running loop, which stands still until a test puts it forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now = 0.0
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: self._now)

    async def advance(self, seconds: float) -> None:
        """Have time pass, and what is due by then be done."""
        self._now += seconds
        for _ in range(3):
            await asyncio.sleep(0)


async def test_a_burst_is_over_when_nothing_more_came_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, done = Clock(monkeypatch), list[int]()
    call = Debouncer(lambda: done.append(1), 10, 6000)
    for _ in range(2):
        call()
        await clock.advance(9)
    assert done == []
    await clock.advance(2)
    assert done == [1]


async def test_a_burst_that_does_not_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, done = Clock(monkeypatch), list[int]()
    call = Debouncer(lambda: done.append(1), 10, 15)
    for _ in range(2):
        call()
        await clock.advance(8)
    assert done == [1]


async def test_who_cannot_wait_has_it_done_now_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, done = Clock(monkeypatch), list[int]()
    call = Debouncer(lambda: done.append(1), 10, 10)
    call()
    call.run_now()
    await clock.advance(20)
    assert done == [1]


async def test_what_was_stopped_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, done = Clock(monkeypatch), list[int]()
    call = Debouncer(lambda: done.append(1), 10, 10)
    call()
    call.stop()
    await clock.advance(20)
    assert done == []
