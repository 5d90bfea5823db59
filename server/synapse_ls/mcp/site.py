"""One client of the server, from the time it connects until it leaves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from anyio.abc import TaskGroup
from mcp import types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)

from synapse_ls.mcp.asking import Asking, Context
from synapse_ls.mcp.place import Place, folders_of
from synapse_ls.mcp.updates import Updates

T = TypeVar("T")

_THREADS = 4  # questions at once; the others wait


class Site:
    """What is known of one client.

    session: how to tell a client of the handshake protocols what it did not ask for, None for any
    other.
    """

    def __init__(self, place: Place, tasks: TaskGroup) -> None:
        self.place = place
        self.session: ServerSession | None = None
        self.updates = Updates(place, tasks, self._publish)
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._limiter = anyio.CapacityLimiter(_THREADS)

    async def compute(self, question: Callable[[], T], *, safe: bool = True) -> T:
        """Have a thread find out. safe: whether it may be left alone when nobody waits any more."""
        return await anyio.to_thread.run_sync(
            question, abandon_on_cancel=safe, limiter=self._limiter
        )

    async def settle(self, asking: Asking, *, can_wait: bool = False) -> None:
        """Ask the client where it works, where that could help to find a tree."""
        if await self.compute(lambda: self.place.wants_folders):
            uris = await asking.roots(can_wait=can_wait)
            if uris is not None:
                self.place.folders = folders_of(uris)

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve ``subscriptions/listen`` until the client ends it."""
        await self.updates.follow()
        async with self.updates.subscribed(params.notifications.resource_subscriptions or []):
            return await self._listen(ctx, params)

    async def _publish(self, event: ServerEvent) -> None:
        await self._bus.publish(event)
        session = self.session
        if session is None:
            return
        if isinstance(event, ResourceUpdated):
            await session.send_resource_updated(event.uri)
        elif isinstance(event, ResourcesListChanged):
            await session.send_resource_list_changed()
        elif isinstance(event, PromptsListChanged):
            await session.send_prompt_list_changed()


@asynccontextmanager
async def site(start: str) -> AsyncIterator[Site]:
    """A site whose tree is looked for from the folder ``start`` upward, "" for where that is known."""
    async with anyio.create_task_group() as tasks:
        yield Site(Place(start), tasks)
        tasks.cancel_scope.cancel()
