"""Who watches what, decided folder by folder: the client where it can, else we."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.lsp import watch
from synapse_ls.lsp.roots import Root
from synapse_ls.workspace.watched import Spec, Watched, paths_of, specs

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.workspace.disk_watch import DiskWatch

logger = logging.getLogger(__name__)


@cache
def can_watch() -> bool:
    """Whether this server can watch folders itself."""
    return find_spec("watchdog") is not None


class Watching:
    """Keeps what is watched in step with the trees. ``seen`` gets absolute paths."""

    def __init__(self, server: Server, seen: Callable[[str], object]) -> None:
        self._server = server
        self._seen = seen
        self._registered: list[types.FileSystemWatcher] = []
        self._ours: frozenset[Spec] = frozenset()
        self._disk: DiskWatch | None = None
        self._running = False
        self._again = False

    async def update(self, roots: Iterable[Root]) -> None:
        """Watch what these trees need, as they are now."""
        self._again = True
        if self._running:
            return
        self._running = True
        try:
            while self._again:
                self._again = False
                await self._update(tuple(roots))
        finally:
            self._running = False

    async def _update(self, roots: tuple[Root, ...]) -> None:
        folders = self._server.folders.paths
        clients, ours = await self._server.worker.run(self._plan, roots, folders)
        await self._register(clients)
        self._watch(ours)

    def _plan(
        self, roots: tuple[Root, ...], folders: tuple[str, ...]
    ) -> tuple[list[types.FileSystemWatcher], frozenset[Spec]]:
        """What the client watches and what we do; for the worker's thread."""
        client, setting = self._server.client, self._server.settings.watch
        watched = [
            Watched(
                root.path,
                paths_of(root.path),
                tuple(real for real, inner in root.links if inner),
            )
            for root in roots
        ]
        # Without watchdog, as inside an editor's extension, whoever else can watch has to.
        if not client.watch or (setting == "server" and can_watch()):
            return [], specs(watched, folders)
        found = watch.watchers(watched, folders, anywhere=client.watch_anywhere)
        if client.watch_anywhere or setting == "client":
            return found, frozenset()
        # Without relative patterns a client watches its own folders only.
        own = {os.path.realpath(folder) for folder in folders}
        outside = [
            one._replace(links=tuple(link for link in one.links if not _lies_in(link, own)))
            for one in watched
        ]
        whole = [one for one in outside if not _lies_in(os.path.realpath(one.root), own)]
        links = frozenset(
            Spec(link, True) for one in outside for link in one.links if os.path.isdir(link)
        )
        return found, specs(whole, ()) | links

    async def _register(self, found: list[types.FileSystemWatcher]) -> None:
        if found == self._registered:
            return
        before, self._registered = self._registered, found
        if before:
            await self._server.ask(types.CLIENT_UNREGISTER_CAPABILITY, watch.unregistration())
        if found:
            await self._server.ask(types.CLIENT_REGISTER_CAPABILITY, watch.registration(found))

    def _watch(self, ours: frozenset[Spec]) -> None:
        if ours == self._ours:
            return
        self._ours = ours
        if not can_watch():
            logger.warning("watchdog is missing: changes on disk are seen when files are opened")
            return
        if self._disk is None:
            # Imported here: few clients leave the watching to us.
            from synapse_ls.workspace.disk_watch import DiskWatch

            self._disk = DiskWatch(self._seen)
        self._disk.update(ours)


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)
