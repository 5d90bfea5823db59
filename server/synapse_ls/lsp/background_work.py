"""Background threads and tasks, debouncing, progress (LSP 3.18), and the server's log.

pygls is not used for these: its ``@thread`` pool also reads standard input, so busy handlers make
the server deaf; it keeps every progress token; and each failing notification shows a message box,
which is one per key stroke if ``didChange`` fails.
"""

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from itertools import count
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

from lsprotocol import types

T = TypeVar("T")
_Job = tuple["Future[Any]", Callable[[], Any]]


class Worker:
    """A background thread that does one job after the other, in the order in which they were given.

    A job that is cancelled before its turn is never done. The thread does not keep the process
    alive: who leaves need not wait for a long job.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: Thread | None = None

    def run(self, job: Callable[..., T], *args: object) -> asyncio.Future[T]:
        """Queue ``job`` and return its future; for the event loop's thread."""
        if self._thread is None:
            self._thread = Thread(target=self._run_jobs, name=self._name, daemon=True)
            self._thread.start()
        done: Future[T] = Future()
        self._jobs.put((done, lambda: job(*args)))
        return asyncio.wrap_future(done)

    @property
    def has_waiting_jobs(self) -> bool:
        """Whether another job waits for its turn."""
        return not self._jobs.empty()

    def close(self) -> None:
        """End the thread once it has done the jobs that were given before."""
        if self._thread is not None:
            self._jobs.put(None)

    def _run_jobs(self) -> None:
        while item := self._jobs.get():
            done, job = item
            del item
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
    """Asyncio tasks that are kept until they are done, and whose failures are reported."""

    def __init__(self, report: Callable[[BaseException], object]) -> None:
        self._report = report
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Any) -> asyncio.Task[Any]:
        """Start a coroutine as a task."""
        task: asyncio.Task[Any] = asyncio.get_running_loop().create_task(work)
        self._running.add(task)

        def finish(_: object) -> None:
            self._running.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                self._report(error)

        task.add_done_callback(finish)
        return task


class Debouncer:
    """Have an action done once a burst is over: ``quiet`` seconds after the last call, but no later
    than ``limit`` seconds after the first.
    """

    def __init__(self, action: Callable[[], object], quiet: float, limit: float) -> None:
        self._action = action
        self._quiet = quiet
        self._limit = limit
        self._first_call: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        """Note that something happened."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._first_call is None:
            self._first_call = now
        if self._timer:
            self._timer.cancel()
        due = min(now + self._quiet, self._first_call + self._limit)
        self._timer = loop.call_at(due, self.run_now)

    def run_now(self) -> None:
        """Have the action done without waiting for the end of the burst."""
        self.stop()
        self._action()

    def stop(self) -> None:
        """Forget what is pending."""
        if self._timer:
            self._timer.cancel()
        self._first_call = self._timer = None


_REPORT_SECONDS = 0.1  # seconds between two reports
# What is done with a tree one after the other: where it begins, and its share, in percent.
_PARTS = {"squads read:": (0, 30), "files checked:": (30, 70)}
_token_numbers = count(1)


class WorkProgress:
    """The progress of one piece of work that a client shows. ``ask`` sends a request, ``notify`` a
    notification.
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
        """Have the client show the work. The work need not wait for this; one that is over by then
        is not shown.
        """
        await self._ask(
            types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(self._token)
        )
        if not self._is_ended:
            self._is_begun = True
            self._send(types.WorkDoneProgressBegin(self._title, cancellable=False, percentage=0))

    def report(self, what: str, done: int, total: int) -> None:
        """Report how much of one of `_PARTS` is done; for any thread."""
        if monotonic() >= self._next_report:
            self._next_report = monotonic() + _REPORT_SECONDS
            self._loop.call_soon_threadsafe(self._report, what, done, total)

    def end(self) -> None:
        """End the progress: the work is over."""
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


logger = logging.getLogger("synapse_ls.lsp")


class ErrorLog:
    """An ErrorLog logs the failures of one run of the server. ``show_sentence`` shows a sentence to
    the person; it is called once at most.
    """

    def __init__(self, show_sentence: Callable[[str], None]) -> None:
        self.counts: Counter[str] = Counter()
        self._show_sentence: Callable[[str], None] | None = show_sentence

    def report(self, error: BaseException, *, answered: bool = False) -> None:
        """Log a failure; ``answered``: the client gets it in a response, so the person need not be
        shown anything.
        """
        kind = type(error).__name__
        self.counts[kind] += 1
        if self.counts[kind] == 1:
            logger.error("%s: %s", kind, error, exc_info=error)
        else:
            logger.error("%s: %s (%d times now)", kind, error, self.counts[kind])
        if answered or self._show_sentence is None:
            return
        tell, self._show_sentence = self._show_sentence, None
        tell(
            f"Synapse LS failed where it should not, and goes on: {kind}: {error}. "
            "Its log has the details; later failures are only logged."
        )


# The levels that a person may set, from the quietest on.
LOG_LEVELS = ("error", "warning", "info", "debug")


def usual_level() -> int:
    """Return the level of the log that the environment asks for."""
    return logging.DEBUG if os.environ.get("SYNAPSE_DEBUG") else logging.INFO


def configure_logging(level: int) -> None:
    """Set up logging to standard error, which clients show as the server's log.

    pygls logs every message it sends with its whole body at INFO; a handler that sends log records
    to the client would then never end. It is kept at WARNING, whatever ``level`` is.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("synapse_ls").setLevel(level)
    logging.getLogger("pygls").setLevel(logging.WARNING)
