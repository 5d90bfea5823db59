"""This module finds the pauses in which work in the background begins: after a burst of changes, and
while nobody types.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

_LONGEST_PAUSE = 1.0  # seconds after which whoever was typing reads what is shown
# Work that cannot be given up waits for a pause of three times its own duration: a pause that has
# lasted so long mostly goes on for as long as the work needs.
_PAUSES_OF_ACTION = 3
# How long work is expected to take for each character of a file before it was done once.
_SECONDS_PER_CHARACTER = 1e-6
# A burst puts work off by at most so many times the duration of the work: few of its key strokes
# then wait for it.
_MOST_PAUSES = 40


class Debouncer:
    """A Debouncer has work done in the background once a burst is over, ``action``: ``quiet``
    seconds after the last call, but no later than ``limit`` seconds after the first.
    """

    def __init__(self, action: Callable[[], object], quiet: float, limit: float) -> None:
        self._action = action
        self._least = quiet, limit
        self._quiet = quiet
        self._limit = limit
        self._first_call: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        """Notes that something happened."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._first_call is None:
            self._first_call = now
        if self._timer:
            self._timer.cancel()
        self._timer = loop.call_at(
            min(now + self._quiet, self._first_call + self._limit), self._run_action
        )

    def note_duration(self, seconds: float) -> None:
        """Notes how long the action takes: a pause that is shorter is no time to begin it, unless
        it is a long one.
        """
        pause = min(seconds * _PAUSES_OF_ACTION, _LONGEST_PAUSE)
        self._quiet = max(self._least[0], pause)
        self._limit = max(self._least[1], pause * _MOST_PAUSES)

    def stop(self) -> None:
        """Forgets what is pending."""
        if self._timer:
            self._timer.cancel()
        self._first_call = self._timer = None

    def _run_action(self) -> None:
        self._first_call = self._timer = None
        self._action()


class TypingPause:
    """A TypingPause says when background work may begin that would make key strokes wait: once
    nobody has typed for as long as that work took last time, or for a second.
    """

    def __init__(self) -> None:
        self._known: float | None = None
        self._guessed = 0.0
        self._last_key = 0.0
        self._wanted = asyncio.Event()

    @property
    def duration(self) -> float:
        """Returns how many seconds the work takes, a second at most: as it did last time; before that,
        what is to be expected.
        """
        return min(self._guessed if self._known is None else self._known, _LONGEST_PAUSE)

    def note_key(self, characters: int = 0) -> None:
        """Notes a key stroke in a file of so many characters."""
        self._last_key = asyncio.get_running_loop().time()
        self._guessed = characters * _SECONDS_PER_CHARACTER

    def note_duration(self, seconds: float, *, is_done: bool = True) -> None:
        """Notes how long the work has taken, which is done, or was given up for a key stroke."""
        self._known = seconds if is_done else max(seconds, self.duration)
        if is_done:
            self._wanted.clear()

    def end_now(self) -> None:
        """Ends the pause: somebody waits for the work."""
        self._wanted.set()

    def give_way_until(self, shortest: float, since: float) -> float:
        """Returns the time until which work that is due ``since`` that time is given up for a key
        stroke. Work of which nobody knows how long it takes is taken for one of ``shortest`` seconds.
        """
        return since + max(shortest, self.duration) * _MOST_PAUSES

    async def wait(self, shortest: float, since: float | None = None) -> None:
        """Waits for the pause; for none where the work takes less than ``shortest`` seconds.
        ``since``: when the work became due, if not now.
        """
        loop = asyncio.get_running_loop()
        if self.duration < shortest:
            return
        latest = self.give_way_until(shortest, loop.time() if since is None else since)
        while not self._wanted.is_set():
            left = min(self._last_key + self.duration, latest) - loop.time()
            if left <= 0:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), left)
