"""Telling the client that a resource or a list is another one now.

Whatever happens on disk means no more than "look again": what is subscribed to is read anew, and
the client hears only of what has another text.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec

import anyio
from anyio.abc import TaskGroup
from mcp.server.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)

from synapse_ls.engine.hashing import text_hash
from synapse_ls.mcp.place import Place
from synapse_ls.mcp.prompts.commands import names
from synapse_ls.mcp.resources.registry import text_of
from synapse_ls.service.plans import planned
from synapse_ls.workspace.disk_watch import DiskWatch
from synapse_ls.workspace.watched import LIMIT, QUIET, Spec, specs, watched

logger = logging.getLogger(__name__)

Lists = tuple[tuple[str, ...], tuple[str, ...]]
_POLL = 2.0  # seconds between two looks where nothing can watch
_IDLE = 60.0  # seconds without an event after which time alone may have changed something
_NOTHING: Lists = ((), ())


class Updates:
    """What one client is kept up to date about. ``publish`` brings it an event."""

    def __init__(
        self, place: Place, tasks: TaskGroup, publish: Callable[[ServerEvent], Awaitable[None]]
    ) -> None:
        self._place = place
        self._tasks = tasks
        self._publish = publish
        self._wanted: Counter[str] = Counter()
        self._told: dict[str, str] = {}
        self._lists: Lists = _NOTHING
        self._happened = anyio.Event()
        self._looking = anyio.Lock()
        self._follows = False

    async def subscribe(self, uri: str) -> None:
        """Tell of changes of this resource from its present text on."""
        await self.follow()
        if uri not in self._told:
            self._told[uri] = await anyio.to_thread.run_sync(self._text, uri)
        self._wanted[uri] += 1

    def unsubscribe(self, uri: str) -> None:
        """Take one subscription back; one that was never made is none."""
        self._wanted[uri] -= 1
        if self._wanted[uri] <= 0:
            del self._wanted[uri]
            self._told.pop(uri, None)

    @asynccontextmanager
    async def subscribed(self, uris: list[str]) -> AsyncIterator[None]:
        """Subscriptions for as long as something lasts."""
        made: list[str] = []
        try:
            for uri in uris:
                await self.subscribe(uri)
                made.append(uri)
            yield
        finally:
            for uri in made:
                self.unsubscribe(uri)

    async def follow(self) -> None:
        """Begin to watch the disk, and to tell of lists as they are from now on."""
        if self._follows:
            return
        self._follows = True
        self._lists = await anyio.to_thread.run_sync(self._listed)
        self._tasks.start_soon(self._run)

    async def look(self) -> None:
        """Read what is subscribed to anew, and tell of what has changed."""
        async with self._looking:
            texts, lists = await anyio.to_thread.run_sync(self._now, tuple(self._wanted))
            before, self._lists = self._lists, lists
            if lists[0] != before[0]:
                await self._publish(ResourcesListChanged())
            if lists[1] != before[1]:
                await self._publish(PromptsListChanged())
            for uri, text in texts.items():
                if self._told.get(uri, text) != text:
                    self._told[uri] = text
                    await self._publish(ResourceUpdated(uri))

    async def _run(self) -> None:
        # An editor's extension brings the server along without watchdog.
        disk = DiskWatch(lambda _: self._happened.set()) if find_spec("watchdog") else None
        try:
            while True:
                try:
                    if disk is None:
                        await anyio.sleep(_POLL)
                    else:
                        disk.update(await anyio.to_thread.run_sync(self._folders))
                        await self._burst()
                    await self.look()
                except Exception:  # whatever it is, later changes are still to be told
                    logger.exception("a change could not be told")
                    await anyio.sleep(LIMIT)
        finally:
            if disk is not None:
                disk.stop()

    async def _burst(self) -> None:
        """Until something has happened and it is quiet again, or has gone on for long."""
        with anyio.move_on_after(_IDLE):
            await self._happened.wait()
        with anyio.move_on_after(LIMIT):
            while self._happened.is_set():
                self._happened = anyio.Event()
                with anyio.move_on_after(QUIET):
                    await self._happened.wait()
        self._happened = anyio.Event()

    def _folders(self) -> frozenset[Spec]:
        root = self._place.root
        starts = [start for start in self._place.starts if start]
        return specs([watched(root)], [root]) if root else specs((), starts)

    def _now(self, uris: tuple[str, ...]) -> tuple[dict[str, str], Lists]:
        return {uri: self._text(uri) for uri in uris}, self._listed()

    def _text(self, uri: str) -> str:
        """What stands for the text of a resource; for that of none, and of one without a tree, ""."""
        try:
            root = self._place.root
            text = text_of(root, uri) if root else None
        except Exception as error:  # whatever keeps it from being read is told to who reads it
            logger.debug("%s cannot be read: %s", uri, error)
            return f"{type(error).__name__}: {error}"
        return "" if text is None else text_hash(text)

    def _listed(self) -> Lists:
        """What resources and prompts there are."""
        try:
            root = self._place.root
            plan = planned(root).whole().plan if root else None
        except Exception as error:
            logger.debug("the tree cannot be read: %s", error)
            return self._lists
        return (tuple(plan.labels), tuple(sorted(names(plan)))) if plan else _NOTHING
