"""This module runs work in the background: in worker threads of our own, and in tasks whose failures
are reported.

pygls runs ``@thread`` handlers in the pool that also reads standard input, so a few busy ones make
the server deaf. Nothing here uses that pool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

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
