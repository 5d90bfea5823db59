"""Who watches files where the server cannot: watchdog is not part of an editor's extension."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from watchdog.observers.api import BaseObserver

from synapse_ls.lsp import file_watcher
from tests.lsp.declared import capabilities
from tests.lsp.wire import Wire, connected
from tests.trees import TEAM, write_tree

REGISTER = "client/registerCapability"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(file_watcher, "has_watchdog", lambda: False)
    return write_tree(tmp_path / "team", TEAM)


def watched(wire: Wire) -> bool:
    """Whether the client was asked to watch."""
    return any(
        registration["method"] == "workspace/didChangeWatchedFiles"
        for params in wire.notifications(REGISTER)
        for registration in params["registrations"]
    )


async def test_the_client_watches_even_where_the_setting_names_the_server(root: Path) -> None:
    async with connected(root, capabilities=capabilities("vscode")) as wire:
        wire.answers["workspace/configuration"] = [{"watch": "server"}]
        wire.notify("workspace/didChangeConfiguration", {"settings": None})
        await wire.settled()
        await wire.until(lambda: watched(wire))


async def test_a_client_that_cannot_watch_either_is_served_all_the_same(root: Path) -> None:
    async with connected(root, capabilities={}) as wire:
        await wire.settled()
        assert (await wire.request("synapse/context", {}))["block"]
        assert not watched(wire)


async def test_a_server_that_has_ended_watches_no_more(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_watcher, "has_watchdog", lambda: True)
    before = set(threading.enumerate())
    async with connected(root, capabilities={}) as wire:
        await wire.settled()
        await wire.until(lambda: bool(running_observers() - before))
        watching = running_observers() - before
    for observer in watching:
        observer.join(timeout=60)
        assert not observer.is_alive()


def running_observers() -> set[threading.Thread]:
    """The threads that wait for what the system says of watched folders."""
    return {thread for thread in threading.enumerate() if isinstance(thread, BaseObserver)}
