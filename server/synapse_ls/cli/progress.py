"""How far a long run has come, for whoever sits before a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from synapse_ls.cli.console import Console

_LONG = 0.7  # seconds until a run counts as long
_EVERY = 0.1  # seconds between two messages


class Progress:
    """Tells what is done and how far, but only of what takes long, and not too often."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._next = clock() + _LONG

    def of(self, what: str) -> Callable[[int, int], None]:
        """What is called with how many of how many are done."""

        def tell(done: int, total: int) -> None:
            now = self._clock()
            if now >= self._next:
                self._next = now + _EVERY
                self._console.passing(f"{what} {done:,} of {total:,} …")

        return tell

    def end(self) -> None:
        """The run is over."""
        self._console.passing("")
