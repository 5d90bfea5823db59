"""This module shows the progress of a long run to whoever sits before a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from synapse_ls.cli.console import Console

_MIN_DURATION = 0.7  # seconds until a run counts as long
_MIN_INTERVAL = 0.1  # seconds between two messages


class Progress:
    """A Progress shows what is done and how far, but only of what takes long, and not too often."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._next = clock() + _MIN_DURATION

    def counter(self, label: str) -> Callable[[int, int], None]:
        """Returns a function that is called with how many of how many are done."""

        def show_count(done: int, total: int) -> None:
            now = self._clock()
            if now >= self._next:
                self._next = now + _MIN_INTERVAL
                self._console.show_progress(label, done, total)

        return show_count

    def end(self) -> None:
        """Clears the progress: the run is over."""
        self._console.show_progress("")
