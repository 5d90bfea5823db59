"""Changes on disk that the client hears of, by both ways to subscribe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types
from mcp.server.subscriptions import PromptsListChanged, ResourcesListChanged, ResourceUpdated

from tests.mcp.clients import HANDSHAKE, MODERN, begin_session, beside, here, read, said
from tests.trees import TEAM, write_tree

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
"""Clients of the handshake protocols are served as long as there are some."""

Events = asyncio.Queue[Any]
BLOCK, STATUS = "synapse://block", "synapse://status"
TESTING, DOCS = "synapse://domains/TESTING", "synapse://domains/DOCS"

_EVENTS: dict[Any, Callable[[Any], Any]] = {
    types.ResourceListChangedNotification: lambda _: ResourcesListChanged(),
    types.PromptListChangedNotification: lambda _: PromptsListChanged(),
    types.ResourceUpdatedNotification: lambda message: ResourceUpdated(str(message.params.uri)),
}


@asynccontextmanager
async def subscribed(
    root: Path, mode: str, *uris: str, connect: Any = here
) -> AsyncIterator[tuple[Client, Events]]:
    """A client that is told of these resources and of both lists, and what it has heard."""
    events: Events = asyncio.Queue()

    async def heard(message: Any) -> None:
        make = _EVENTS.get(type(message))
        if make:
            events.put_nowait(make(message))

    if mode == HANDSHAKE:
        async with connect(root, mode, message_handler=heard) as client:
            await client.list_prompts()
            for uri in uris:
                await client.subscribe_resource(uri)
            yield client, events
        return
    async with connect(root, mode) as client:
        wanted = {"resources_list_changed": True, "prompts_list_changed": True}
        async with client.listen(resource_subscriptions=uris, **wanted) as stream:

            async def listen() -> None:
                async for event in stream:
                    events.put_nowait(event)

            task = asyncio.create_task(listen())
            yield client, events
            task.cancel()


def write(root: Path, path: str, text: str) -> None:
    (root / path).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("connect", [here, beside])
async def test_a_changed_rule_changes_its_resources(team: Path, mode: str, connect: Any) -> None:
    async with subscribed(team, mode, BLOCK, "synapse://domains/GLOBAL", connect=connect) as (
        client,
        events,
    ):
        write(team, ".synapse/global", "GLOBAL_RULE_0=Write tiny functions\n")
        heard = {await events.get(), await events.get()}
        assert heard == {ResourceUpdated(BLOCK), ResourceUpdated("synapse://domains/GLOBAL")}
        assert "Write tiny functions" in await read(client, BLOCK)


async def test_only_what_has_another_text_is_told(team: Path, mode: str) -> None:
    async with subscribed(team, mode, DOCS, TESTING) as (_, events):
        write(team, ".synapse/docs", "DOCS_RULE_0=Say why\n")
        assert await events.get() == ResourceUpdated(DOCS)
        write(team, ".synapse/testing", "TESTING_RULE_0=Test first\n")
        assert await events.get() == ResourceUpdated(TESTING)
        assert events.empty()


async def test_domains_and_commands_that_come_and_go_change_the_lists(
    team: Path, mode: str
) -> None:
    async with subscribed(team, mode) as (client, events):
        manifest = (team / ".synapse/manifest").read_text()
        write(team, ".synapse/manifest", f"{manifest}NEW_STATE=active\n")
        assert await events.get() == ResourcesListChanged()
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        assert "synapse://domains/NEW" in uris
        write(team, ".synapse/commands", "COMMANDS_RULE_OTHER_0=Do it\n")
        assert await events.get() == PromptsListChanged()


async def test_a_session_that_changes_is_told(team: Path, mode: str) -> None:
    begin_session(team)
    async with subscribed(team, mode, STATUS) as (client, events):
        await said(client, "activate_agent", agent="dev")
        assert await events.get() == ResourceUpdated(STATUS)
        assert '"dev"' in await read(client, STATUS)


async def test_a_tree_that_comes_later_is_told(tmp_path: Path, mode: str) -> None:
    root = tmp_path / "later"
    root.mkdir()
    async with subscribed(root, mode, BLOCK) as (client, events):
        write_tree(root, TEAM)
        heard = {await events.get() for _ in range(3)}
        assert ResourceUpdated(BLOCK) in heard
        assert (await read(client, BLOCK)).startswith("<synapse-rules>")


async def test_a_broken_file_ends_no_subscription(team: Path, mode: str) -> None:
    async with subscribed(team, mode, TESTING) as (_, events):
        (team / ".synapse/testing").write_bytes(b"\xff\xfe\x00TESTING_RULE_0")
        assert await events.get() == ResourceUpdated(TESTING)
        write(team, ".synapse/testing", "TESTING_RULE_0=Mended\n")
        assert await events.get() == ResourceUpdated(TESTING)


async def test_who_unsubscribes_hears_no_more(team: Path) -> None:
    async with subscribed(team, HANDSHAKE, TESTING, DOCS) as (client, events):
        await client.unsubscribe_resource(TESTING)
        write(team, ".synapse/testing", "TESTING_RULE_0=Test first\n")
        write(team, ".synapse/docs", "DOCS_RULE_0=Say why\n")
        assert await events.get() == ResourceUpdated(DOCS)
        assert events.empty()


async def test_a_stream_that_ends_takes_its_subscriptions_along(team: Path) -> None:
    async with here(team, MODERN) as client:
        async with client.listen(resource_subscriptions=[TESTING]):
            pass
        async with client.listen(resource_subscriptions=[DOCS]) as stream:
            write(team, ".synapse/docs", "DOCS_RULE_0=Say why\n")
            assert await anext(aiter(stream)) == ResourceUpdated(DOCS)
