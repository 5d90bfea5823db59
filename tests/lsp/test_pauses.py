"""When work in the background begins."""

from __future__ import annotations

import asyncio

from synapse_ls.lsp.background_work import Debouncer, TypingPause


async def test_quick_work_needs_no_pause() -> None:
    pause = TypingPause()
    pause.note_duration(0.09)
    pause.note_key()
    await asyncio.wait_for(pause.wait(0.1), 0.05)


async def test_slow_work_begins_when_nobody_has_typed_for_as_long_as_it_takes() -> None:
    loop = asyncio.get_running_loop()
    pause = TypingPause()
    pause.note_duration(0.1)
    pause.note_key()
    waiting = asyncio.ensure_future(pause.wait(0.05))
    await asyncio.sleep(0)
    last_key = loop.time()
    pause.note_key()
    await waiting
    assert loop.time() - last_key >= 0.099


async def test_work_in_a_very_long_file_is_expected_to_be_slow() -> None:
    pause = TypingPause()
    pause.note_key(10_000)
    await asyncio.wait_for(pause.wait(0.1), 0.05)
    pause.note_key(5_000_000)
    assert pause.duration == 1
    pause.note_duration(0.09)
    await asyncio.wait_for(pause.wait(0.1), 0.05)


async def test_work_that_was_given_up_takes_no_less_than_before() -> None:
    pause = TypingPause()
    pause.note_duration(0.5)
    pause.note_duration(0.01, is_done=False)
    assert pause.duration == 0.5
    assert pause.give_way_until(0.1, 0) > pause.give_way_until(0.1, -1) > 0.5


async def test_whoever_waits_for_slow_work_ends_the_pause() -> None:
    pause = TypingPause()
    pause.note_duration(60)
    pause.note_key()
    waiting = asyncio.ensure_future(pause.wait(0.1))
    await asyncio.sleep(0)
    pause.end_now()
    await asyncio.wait_for(waiting, 5)


async def test_a_burst_is_over_when_it_was_quiet_for_as_long_as_the_action_takes() -> None:
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    call = Debouncer(done.set, 0.001, 0.002)
    call.note_duration(0.1)
    begun = loop.time()
    call()
    await done.wait()
    assert loop.time() - begun >= 0.099
