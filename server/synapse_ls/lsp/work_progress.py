"""This module shows work-done progress for the first index of a tree (LSP 3.18, "Server Initiated
Progress").

pygls keeps every token it was ever given; so its helper is not used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from time import monotonic
from typing import Any

from lsprotocol import types

_REPORT_SECONDS = 0.1  # seconds between two reports
_PARTS = {"squads read:": (0, 30), "files checked:": (30, 70)}
"""What is done with a tree one after the other: where it begins, and its share, in percent."""
_token_numbers = count(1)


class WorkProgress:
    """A WorkProgress is the progress of one piece of work that a client shows. ``ask`` sends a
    request, ``notify`` a notification.
    """

    def __init__(
        self,
        title: str,
        ask: Callable[[str, Any], Awaitable[Any]],
        notify: Callable[[str, Any], object],
    ) -> None:
        self._title = title
        self._ask = ask
        self._notify = notify
        self._token = f"synapse-{next(_token_numbers)}"
        self._is_begun = self._is_ended = False
        self._next_report = 0.0
        self._loop = asyncio.get_running_loop()

    async def begin(self) -> None:
        """Has the client show the work. The work need not wait for this; one that is over by then
        is not shown.
        """
        await self._ask(
            types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(self._token)
        )
        if not self._is_ended:
            self._is_begun = True
            self._send(types.WorkDoneProgressBegin(self._title, cancellable=False, percentage=0))

    def report(self, what: str, done: int, total: int) -> None:
        """Reports how much of one of `_PARTS` is done; for any thread."""
        if monotonic() >= self._next_report:
            self._next_report = monotonic() + _REPORT_SECONDS
            self._loop.call_soon_threadsafe(self._report, what, done, total)

    def end(self) -> None:
        """Ends the progress: the work is over."""
        if self._is_begun and not self._is_ended:
            self._send(types.WorkDoneProgressEnd())
        self._is_ended = True

    def _report(self, what: str, done: int, total: int) -> None:
        if self._is_begun and not self._is_ended:
            first, share = _PARTS[what]
            percent = first + (min(share, share * done // total) if total else 0)
            message = f"{what} {done:,} of {total:,}"
            self._send(types.WorkDoneProgressReport(message=message, percentage=percent))

    def _send(self, value: Any) -> None:
        self._notify(types.PROGRESS, types.ProgressParams(self._token, value))
