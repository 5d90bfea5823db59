"""What to watch for a tree, and a watcher based on watchdog for clients that do not watch.

An event means only "this path may be different", so kinds, order and duplicates do not matter.
Facts about watchdog: our own reads cause events unless filtered; an exception in a handler silently
ends all watching; a folder that is deleted and created again stays silent although the observer is
alive; a saved file may appear only as the target of a move. So the handler only passes paths on,
and a supervisor compares folders with those watched.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from synapse_ls.formats import config_file, config_settings
from synapse_ls.workspace import carl_ancestors, file_kinds, file_reader, outside_links
from synapse_ls.workspace.path_classification import root_places
from synapse_ls.workspace.tree_folders import CARL, CARL_FILE, CHATI_CONTINUATION, TREE
from synapse_ls.workspace.tree_search_upward import folder_identity

# Seconds without an event that end a burst, and the longest that a burst is waited for.
QUIET_SECONDS, MAX_WAIT_SECONDS = 0.075, 0.5


class WatchedRoot(NamedTuple):
    """A root and what has to be watched for it: its places, and the folders that links lead to."""

    root: str
    paths: config_settings.PathSettings
    links: tuple[str, ...]


def watched_root(root: str) -> WatchedRoot:
    """Return what has to be watched for the tree at ``root``, as it is on disk now."""
    return WatchedRoot(
        root, configured_paths(root), tuple(real for real, inner in linked_folders(root) if inner)
    )


def configured_paths(root: str) -> config_settings.PathSettings:
    """Return the places of a tree's files that have to be watched, as its configuration says."""
    try:
        content = file_reader.read_configuration_file(root)
    except file_reader.RefusedError:
        content = None
    return config_file.parse(content.decoded.text if content else "").document.paths


def linked_folders(root: str) -> tuple[tuple[str, str], ...]:
    """Return (real path, path relative to the root) of the folders to be watched that are reached
    by links: squads, and the root.

    So are the folders above the root whose ``carl.json`` CARL v2 merges with that of the tree. A
    squad outside of the project that nobody trusts is not read, so it is left out: it may be all
    of the disk.
    """
    links: list[tuple[str, str]] = []
    if os.path.isfile(f"{root}/{CARL_FILE}"):
        links += [
            (os.path.join(above.folder, CARL).replace(os.sep, "/"), above.path.rpartition("/")[0])
            for above in carl_ancestors.ancestor_files(root)
            if os.path.isdir(os.path.join(above.folder, CARL))
        ]
    for home in configured_paths(root).squads:
        try:
            with os.scandir(f"{root}/{home}") as entries:
                linked = [entry.name for entry in entries if entry.is_symlink()]
        except OSError:
            continue
        links += [
            (real, f"{home}/{name}")
            for name in linked
            if os.path.isdir(real := os.path.realpath(f"{root}/{home}/{name}").replace(os.sep, "/"))
            and outside_links.find_outside_link(root, f"{home}/{name}") is None
        ]
    if (real_root := os.path.realpath(root).replace(os.sep, "/")) != root:
        links.append((real_root, ""))
    return tuple(links)


def root_patterns(paths: config_settings.PathSettings) -> tuple[str, ...]:
    """Return globs, relative to a root, of everything that is watched since it can change the tree,
    folders that vanish included.
    """
    patterns = [TREE, f"{TREE}/**", CHATI_CONTINUATION]
    for place in root_places(paths):
        if place.path.startswith(f"{TREE}/"):
            continue
        patterns += _ancestor_folders(place.path)
        patterns += [place.path] if place.is_file else [place.path, f"{place.path}/**"]
    for home in paths.squads:
        patterns += [*_ancestor_folders(home), home, f"{home}/*"]
        patterns += [f"{home}/*/{pattern}" for pattern in squad_patterns()]
    return tuple(dict.fromkeys(patterns))


def squad_patterns() -> tuple[str, ...]:
    """Return globs, relative to a squad's folder, of everything that is watched since it can change
    the squad.
    """
    patterns: list[str] = []
    for place in file_kinds.SQUAD_PLACES:
        below = f"{place.path}/{'**' if place.deep else '*'}"
        patterns += [place.path] if place.is_file else [place.path, below]
    return tuple(patterns)


def _ancestor_folders(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


class WatchedFolder(NamedTuple):
    """A folder that we watch ourselves, with (``deep``) or without all that is below it."""

    path: str
    deep: bool


def folders_to_watch(
    roots: Iterable[WatchedRoot], folders: Iterable[str]
) -> frozenset[WatchedFolder]:
    """Return the folders to watch, as they are on disk now: the specific ones, never a whole
    repository.

    Where a folder does not exist yet, the nearest one above it tells when it does.
    """
    watches: set[WatchedFolder] = set()
    for root, paths, links in roots:
        watches.add(WatchedFolder(root, False))
        watches.update(WatchedFolder(link, True) for link in links)
        for path in (TREE, os.path.dirname(CHATI_CONTINUATION), *paths.squads):
            watches.add(_nearest_existing_folder(root, path, True))
        for place in root_places(paths):
            folder = place.path.rpartition("/")[0] if place.is_file else place.path
            watches.add(_nearest_existing_folder(root, folder, not place.is_file))
    existing = [spec for spec in watches if os.path.isdir(spec.path)]
    deep_paths = {spec.path for spec in existing if spec.deep}
    # Without those that a deep watch on the folder or above it covers.
    specs = {
        spec
        for spec in existing
        if deep_paths.isdisjoint(_ancestor_folders(spec.path))
        and (spec.deep or spec.path not in deep_paths)
    }
    # A workspace folder is waited for while it is away: its tree may return with it.
    return frozenset(specs | {WatchedFolder(folder, False) for folder in folders})


def _nearest_existing_folder(root: str, path: str, deep: bool) -> WatchedFolder:
    """Return the folder at ``path``, or the nearest above it where there is none, or none that may
    be read.
    """
    if not path:
        return WatchedFolder(root, deep)
    if os.path.isdir(f"{root}/{path}") and outside_links.find_outside_link(root, path) is None:
        return WatchedFolder(f"{root}/{path}", deep)
    return _nearest_existing_folder(root, path.rpartition("/")[0], False)


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
        """Watch these folders, and no others."""
        self._wanted = wanted
        for spec in self._watched.keys() - wanted:
            self._end_watch(spec)
        self._supervise()

    def stop(self) -> None:
        """Stop all watching."""
        if self._timer:
            self._timer.cancel()
        self._wanted = frozenset()
        for spec in tuple(self._watched):
            self._end_watch(spec)
        for observer in self._observers.values():
            observer.stop()
        self._observers.clear()

    def _supervise(self) -> None:
        """Begin what is not watched, and begin again what is watched no longer."""
        if self._timer:
            self._timer.cancel()
        for spec in self._wanted:
            identity = folder_identity(spec.path)
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
        from watchdog import events

        loop, on_change = self._loop, self._seen

        class Handler(events.FileSystemEventHandler):
            def on_any_event(self, event: Any) -> None:
                with suppress(RuntimeError):  # the loop is closed: the server has left
                    for path in filter(None, (event.src_path, event.dest_path)):
                        loop.call_soon_threadsafe(on_change, os.fsdecode(path))

        event_types = [
            events.FileModifiedEvent,
            events.FileCreatedEvent,
            events.FileDeletedEvent,
            events.FileMovedEvent,
            events.DirCreatedEvent,
            events.DirDeletedEvent,
            events.DirMovedEvent,
        ]
        for polling in (False, True):
            try:
                observer = self._running_observer(polling)
                watch = observer.schedule(
                    Handler(), spec.path, recursive=spec.deep, event_filter=event_types
                )
            except OSError as error:
                # The folder vanished, or the system has no watches left, for one folder or at all.
                if identity != folder_identity(spec.path):
                    return
                if polling:
                    logger.warning("%s cannot be watched (%s)", spec.path, error)
                else:
                    # Say once, however many folders it concerns, that some are not watched by the
                    # system.
                    logger.log(
                        logging.DEBUG if self._observers.get(True) else logging.WARNING,
                        "%s is looked at every %g seconds, as is each folder that the system "
                        "cannot watch (%s)",
                        *(spec.path, _POLL_INTERVAL, error.strerror),
                    )
                continue
            self._watched[spec] = (identity, observer, watch)
            return

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


def _is_alive(observer: Any, watch: Any) -> bool:
    if not observer.is_alive():
        return False
    emitter = getattr(observer, "_emitter_for_watch", {}).get(watch)
    return emitter is None or bool(emitter.is_alive())
