"""Register file watchers with the client or, where it cannot watch, start watchdog."""

import logging
import os
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec

from lsprotocol import types

from synapse_ls.lsp import convert, language_server, root_discovery
from synapse_ls.workspace import file_watching, tree_folders

_REGISTRATION_ID = "synapse-watched-files"
_NEW_TREE_PATTERNS = tuple(
    f"**/{sign}{below}"
    for sign in tree_folders.ROOT_MARK_TOPS
    for below in ("", "/**")
    if not (below and "/" in sign)
)


def client_watchers(
    watched: Iterable[file_watching.WatchedRoot], folders: Iterable[str], *, anywhere: bool
) -> list[types.FileSystemWatcher]:
    """Return the file watchers that the client is asked for; with ``anywhere`` by patterns relative
    to any folder.
    """
    if not anywhere:
        patterns = [*_NEW_TREE_PATTERNS]
        for watched_root in watched:
            patterns += [
                f"**/{pattern}" for pattern in file_watching.root_patterns(watched_root.paths)
            ]
        return [types.FileSystemWatcher(pattern) for pattern in dict.fromkeys(patterns)]
    pairs = [(folder, pattern) for folder in folders for pattern in _NEW_TREE_PATTERNS]
    for watched_root in watched:
        pairs += [
            (watched_root.root, pattern)
            for pattern in file_watching.root_patterns(watched_root.paths)
        ]
        linked = (*file_watching.squad_patterns(), tree_folders.CARL_FILE.rpartition("/")[2])
        pairs += [(link, pattern) for link in watched_root.links for pattern in linked]
    return [
        types.FileSystemWatcher(types.RelativePattern(convert.path_to_uri(base), pattern))
        for base, pattern in dict.fromkeys(pairs)
    ]


logger = logging.getLogger(__name__)


@cache
def has_watchdog() -> bool:
    """Return whether this server can watch files in folders itself."""
    return find_spec("watchdog") is not None


class FileWatcher:
    """A FileWatcher keeps the watched folders in step with the trees. ``on_change`` gets absolute
    paths.
    """

    def __init__(self, server: language_server.Server, on_change: Callable[[str], object]) -> None:
        self._server = server
        self._on_change = on_change
        self._client_watchers: list[types.FileSystemWatcher] = []
        self._own_specs: frozenset[file_watching.WatchedFolder] = frozenset()
        self._disk_watch: file_watching.DiskWatcher | None = None
        self._is_updating = False
        self._is_outdated = False

    def close(self) -> None:
        """Stop all watching of the server's own."""
        if self._disk_watch is not None:
            self._disk_watch.stop()

    async def update(self, roots: Iterable[root_discovery.Root]) -> None:
        """Watch what these trees need, as they are now."""
        self._is_outdated = True
        if self._is_updating:
            return
        self._is_updating = True
        try:
            while self._is_outdated:
                self._is_outdated = False
                clients, ours = await self._server.worker.run(
                    self._plan_watches, tuple(roots), self._server.folders
                )
                await self._register_client(clients)
                self._watch_disk(ours)
        finally:
            self._is_updating = False

    def _plan_watches(
        self, roots: tuple[root_discovery.Root, ...], folders: tuple[str, ...]
    ) -> tuple[list[types.FileSystemWatcher], frozenset[file_watching.WatchedFolder]]:
        """Return what the client watches and what the server does; for the worker's thread."""
        client, setting = self._server.client, self._server.settings.watch
        watched = [file_watching.watched_root(root.path) for root in roots]
        # Without watchdog, as inside an editor's extension, whoever else can watch has to.
        if not client.watch or (setting == "server" and has_watchdog()):
            return [], file_watching.folders_to_watch(watched, folders)
        watchers = client_watchers(watched, folders, anywhere=client.watch_anywhere)
        if client.watch_anywhere or setting == "client":
            return watchers, frozenset()
        # Without relative patterns a client watches its own folders only.
        real_folders = {os.path.realpath(folder) for folder in folders}

        def lies_outside(path: str) -> bool:
            return not any(tree_folders.is_under(path, folder) for folder in real_folders)

        outside = [
            watched_root._replace(links=tuple(filter(lies_outside, watched_root.links)))
            for watched_root in watched
        ]
        whole = [tree for tree in outside if lies_outside(os.path.realpath(tree.root))]
        linked = {link for tree in outside for link in tree.links if os.path.isdir(link)}
        return watchers, file_watching.folders_to_watch(whole, ()) | {
            file_watching.WatchedFolder(link, True) for link in linked
        }

    async def _register_client(self, watchers: list[types.FileSystemWatcher]) -> None:
        if watchers == self._client_watchers:
            return
        before, self._client_watchers = self._client_watchers, watchers
        request, method = self._server.request_client, types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        if before:
            former = types.Unregistration(_REGISTRATION_ID, method)
            await request(types.CLIENT_UNREGISTER_CAPABILITY, types.UnregistrationParams([former]))
        if watchers:
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            new = types.Registration(_REGISTRATION_ID, method, options)
            await request(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([new]))

    def _watch_disk(self, ours: frozenset[file_watching.WatchedFolder]) -> None:
        if ours == self._own_specs:
            return
        self._own_specs = ours
        if not has_watchdog():
            logger.warning("watchdog is missing: changes on disk are seen when files are opened")
            return
        if self._disk_watch is None:
            self._disk_watch = file_watching.DiskWatcher(self._on_change)
        self._disk_watch.update(ours)
