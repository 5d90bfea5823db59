"""A request that is cancelled costs nothing from then on, and is answered once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.lsp.wire import PATIENCE, Wire, at, connected
from tests.trees import TEAM, write_tree

MANIFEST = ".synapse/manifest"
CANCELLED = -32800
OURS = {
    "file_context",
    "answer",
}  # what a request about a file has done, by the worker and by the reader


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return path_to_uri(str(write_tree(tmp_path / "team", TEAM) / MANIFEST))


def answers(wire: Wire, number: int) -> list[object]:
    """Every response to a request."""
    return [m for m in wire.said if m.get("id") == number and "method" not in m]


@pytest.mark.parametrize("thread", ["worker", "reader"])
@pytest.mark.parametrize("method", ["textDocument/hover", "textDocument/completion"])
async def test_queued_work_of_a_cancelled_request_never_begins(
    method: str, thread: str, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connected(tmp_path / "team") as wire:
        wire.open(uri, TEAM[MANIFEST])
        await wire.settled()
        worker = getattr(wire.server, thread)
        queued: list[str] = []  # by others too, as what is told of a block once its person pauses
        begun: list[str] = []
        run = worker.run

        def watched(job: Callable[..., object], *args: object) -> object:
            def doing() -> object:
                begun.append(job.__name__)
                return job(*args)

            queued.append(job.__name__)
            return run(doing)

        held, done = Event(), Event()

        def hold() -> None:
            held.set()
            done.wait(PATIENCE)

        busy = run(hold)
        await wire.until(held.is_set)
        monkeypatch.setattr(worker, "run", watched)
        number = wire.ask(method, at(uri, 0, 2))
        await wire.until(lambda: not OURS.isdisjoint(queued))
        wire.notify("$/cancelRequest", {"id": number})
        error = (await wire.answer(number))["error"]
        assert error["code"] == CANCELLED
        done.set()
        await busy
        await run(int)
        assert OURS.isdisjoint(begun)
        await asyncio.sleep(0)
        assert len(answers(wire, number)) == 1


async def test_a_request_whose_cancellation_follows_at_once_does_not_make_the_server_deaf(
    uri: str, tmp_path: Path
) -> None:
    async with connected(tmp_path / "team") as wire:
        number = wire.ask("textDocument/hover", at(uri, 0, 2))
        wire.notify("$/cancelRequest", {"id": number})
        assert (await wire.answer(number))["error"]["code"] == CANCELLED
        assert await wire.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})


async def test_a_request_after_a_cancelled_one_is_answered(uri: str, tmp_path: Path) -> None:
    async with connected(tmp_path / "team") as wire:
        wire.open(uri, TEAM[MANIFEST])
        done = Event()
        busy = wire.server.worker.run(done.wait, PATIENCE)
        cancelled = wire.ask("textDocument/hover", at(uri, 0, 2))
        kept = wire.ask("textDocument/hover", at(uri, 0, 2))
        await wire.until(lambda: not wire.server.protocol.is_busy)
        wire.notify("$/cancelRequest", {"id": cancelled})
        done.set()
        await busy
        assert (await wire.answer(cancelled))["error"]["code"] == CANCELLED
        assert (await wire.answer(kept))["result"]["contents"]
