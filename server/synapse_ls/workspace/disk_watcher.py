"""This module watches folders itself, with watchdog, where no client watches files for us.

Facts of watchdog that shape this: our own reading makes events unless they are filtered; an
exception in a handler ends all watching without a word; a watched folder that is deleted
and made again is silent for ever although the observer says it lives; a saved file may show
up only as where it was moved to. So the handler does nothing but hand paths over, and a
supervisor compares folders with what was watched.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from typing import Any

from synapse_ls.workspace.watch_targets import WatchedFolder

logger = logging.getLogger(__name__)

_CHECK_INTERVAL = 1.0  # seconds between two looks of the supervisor
_POLL_INTERVAL = 2.0  # seconds between two looks at a folder that the system cannot watch
_Identity = tuple[int, int]


class DiskWatcher:
    """A DiskWatcher watches a changing set of folders; it calls ``seen`` in the event loop with
    absolute paths.
    """

    def __init__(self, seen: Callable[[str], object]) -> None:
        self._seen = seen
        self._loop = asyncio.get_running_loop()
        self._wanted: frozenset[WatchedFolder] = frozenset()
        self._watched: dict[WatchedFolder, tuple[_Identity, Any, Any]] = {}
        self._observers: dict[bool, Any] = {}
        self._timer: asyncio.TimerHandle | None = None

    def update(self, wanted: frozenset[WatchedFolder]) -> None:
        """Watches these folders, and no others."""
        self._wanted = wanted
        for spec in self._watched.keys() - wanted:
            self._end_watch(spec)
        self._supervise()

    def stop(self) -> None:
        """Stops all watching."""
        if self._timer:
            self._timer.cancel()
        self._wanted = frozenset()
        for spec in tuple(self._watched):
            self._end_watch(spec)
        for observer in self._observers.values():
            observer.stop()
        self._observers.clear()

    def _supervise(self) -> None:
        """Begins what is not watched, and begins again what is watched no longer."""
        if self._timer:
            self._timer.cancel()
        for spec in self._wanted:
            identity = _folder_identity(spec.path)
            before = self._watched.get(spec)
            if before and (before[0] != identity or not _is_alive(before[1], before[2])):
                self._end_watch(spec)
                before = None
                # Whatever happened in between was not seen.
                self._seen(spec.path)
            if before is None and identity is not None:
                self._begin_watch(spec, identity)
                self._seen(spec.path)
        if self._wanted:
            self._timer = self._loop.call_later(_CHECK_INTERVAL, self._supervise)

    def _begin_watch(self, spec: WatchedFolder, identity: _Identity) -> None:
        for polling in (False, True):
            try:
                observer = self._running_observer(polling)
                watch = observer.schedule(
                    self._make_handler(),
                    spec.path,
                    recursive=spec.deep,
                    event_filter=_watched_event_types(),
                )
            except OSError as error:
                # The folder vanished, or the system has no watches left, for one folder or at all.
                if identity != _folder_identity(spec.path):
                    return
                if polling:
                    logger.warning("%s cannot be watched (%s)", spec.path, error)
                else:
                    self._log_polling(spec.path, error)
                continue
            self._watched[spec] = (identity, observer, watch)
            return

    def _log_polling(self, path: str, error: OSError) -> None:
        """Says once, however many folders it concerns, that some are not watched by the system."""
        level = logging.DEBUG if self._observers.get(True) else logging.WARNING
        logger.log(
            level,
            "%s is looked at every %g seconds, as is each folder that the system cannot watch (%s)",
            path,
            _POLL_INTERVAL,
            error.strerror,
        )

    def _end_watch(self, spec: WatchedFolder) -> None:
        _, observer, watch = self._watched.pop(spec)
        try:
            observer.unschedule(watch)
        except (KeyError, OSError, RuntimeError):
            logger.debug("%s was not watched any more", spec.path)

    def _running_observer(self, polling: bool) -> Any:
        observer = self._observers.get(polling)
        if observer is None or not observer.is_alive():
            if polling:
                from watchdog.observers.polling import PollingObserver

                observer = PollingObserver(timeout=_POLL_INTERVAL)
            else:
                from watchdog.observers import Observer

                observer = Observer()
            observer.daemon = True
            observer.start()
            self._observers[polling] = observer
        return observer

    def _make_handler(self) -> Any:
        from watchdog.events import FileSystemEventHandler

        loop, seen = self._loop, self._seen

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: Any) -> None:
                try:
                    for path in (event.src_path, event.dest_path):
                        if path:
                            loop.call_soon_threadsafe(seen, os.fsdecode(path))
                except RuntimeError:
                    return  # the loop is closed: the server has left

        return Handler()


def _watched_event_types() -> list[type[Any]]:
    from watchdog import events

    return [
        events.FileModifiedEvent,
        events.FileCreatedEvent,
        events.FileDeletedEvent,
        events.FileMovedEvent,
        events.DirCreatedEvent,
        events.DirDeletedEvent,
        events.DirMovedEvent,
    ]


def _folder_identity(path: str) -> _Identity | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_alive(observer: Any, watch: Any) -> bool:
    if not observer.is_alive():
        return False
    emitters = getattr(observer, "_emitter_for_watch", {})
    emitter = emitters.get(watch)
    return emitter is None or bool(emitter.is_alive())
