"""This module runs work in the background: in worker threads of our own, and in tasks whose failures
are reported.

pygls runs ``@thread`` handlers in the pool that also reads standard input, so a few busy ones make
the server deaf. Nothing here uses that pool.

This module finds the pauses in which work in the background begins: after a burst of changes, and
while nobody types.

This module shows work-done progress for the first index of a tree (LSP 3.18, "Server Initiated
Progress").

pygls keeps every token it was ever given; so its helper is not used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from lsprotocol import types

T = TypeVar("T")
_Job = tuple["Future[Any]", Callable[[], Any]]


class PathCollector:
    """A PathCollector gathers, for background work, paths that wait to be looked at together; any
    thread may add, one takes.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._paths: set[str] = set()

    def add(self, paths: Iterable[str]) -> bool:
        """Adds paths and returns whether none waited yet, so that a job has to be started."""
        with self._lock:
            first = not self._paths
            self._paths.update(paths)
            return first

    def take(self) -> frozenset[str]:
        """Returns all paths that wait; afterwards none does."""
        with self._lock:
            taken, self._paths = frozenset(self._paths), set()
            return taken


class Worker:
    """A Worker is a background thread that does one job after the other, in the order in which they
    were given.

    A job that is cancelled before its turn is never done. The thread does not keep the process
    alive: who leaves need not wait for a long job.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: Thread | None = None

    def run(self, job: Callable[..., T], *args: object) -> asyncio.Future[T]:
        """Queues ``job`` and returns its future; for the event loop's thread."""
        if self._thread is None:
            self._thread = Thread(target=self._run_jobs, name=self._name, daemon=True)
            self._thread.start()
        done: Future[T] = Future()
        self._jobs.put((done, lambda: job(*args)))
        return asyncio.wrap_future(done)

    @property
    def has_waiting_jobs(self) -> bool:
        """Returns whether another job waits for its turn."""
        return not self._jobs.empty()

    def close(self) -> None:
        """Ends the thread once it has done the jobs that were given before."""
        if self._thread is not None:
            self._jobs.put(None)

    def _run_jobs(self) -> None:
        while given := self._jobs.get():
            done, job = given
            del given
            if not done.set_running_or_notify_cancel():
                continue
            try:
                result = job()
            except BaseException as error:
                done.set_exception(error)
            else:
                done.set_result(result)
            del done, job  # nothing of a job is kept while waiting for the next


class BackgroundTasks:
    """BackgroundTasks are asyncio tasks that are kept until they are done, and whose failures are
    reported.
    """

    def __init__(self, report: Callable[[BaseException], object]) -> None:
        self._report = report
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Any) -> asyncio.Task[Any]:
        """Starts a coroutine as a task."""
        task: asyncio.Task[Any] = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._finish_task)
        return task

    def _finish_task(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._report(error)


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
