"""``synapse/compact``: on messages and on files, with nothing written."""

from __future__ import annotations

from pathlib import Path

from synapse_ls.lsp.convert import path_to_uri
from tests.cli import transcript
from tests.lsp.wire import Message, connected
from tests.trees import TEAM, write_tree

MESSAGES = [
    {"role": "user", "content": "What is in the README?"},
    {"role": "assistant", "content": "How to install it.", "id": "m2"},
    {"role": "user", "content": "Thank you."},
]


async def ask(tmp_path: Path, **params: object) -> Message:
    async with connected(write_tree(tmp_path / "team", TEAM)) as wire:
        told: Message = await wire.request("synapse/compact", params)
        return told


async def test_messages_that_stay_are_as_they_were(tmp_path: Path) -> None:
    told = await ask(tmp_path, messages=MESSAGES)
    assert told["messages"] == MESSAGES
    assert told["before"] == told["after"]


async def test_a_transcript_is_named_by_its_uri(tmp_path: Path) -> None:
    path = transcript.write(tmp_path / "session.jsonl", ("hello", "go on"))
    before = path.read_bytes()
    told = await ask(tmp_path, uri=path_to_uri(str(path)), keepLast=2, force=True)
    assert (told["kind"], told["before"]["messages"], told["after"]["messages"]) == ("claude", 4, 2)
    assert [line["number"] for line in told["dropped"]] == [1, 2]
    assert path.read_bytes() == before


async def test_what_cannot_be_done_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async with connected(write_tree(tmp_path / "team", TEAM)) as wire:
        for params, why in (
            ({}, "needs messages, or the uri of a file"),
            ({"messages": MESSAGES, "limit": 3}, "Give a limit of 7 or more"),
            ({"messages": [{"role": "x"}]}, 'the role "x"'),
            ({"messages": MESSAGES, "strategy": "summarize"}, "A summary needs somebody"),
            ({"messages": MESSAGES, "shape": "x"}, "shape is one of anthropic, openai"),
            ({"messages": MESSAGES, "ratio": -1}, "a ratio is a finite decimal number above 0"),
            ({"messages": "x"}, "messages is not a list"),
            ({"uri": path_to_uri(str(tmp_path / "no.json"))}, "no such file"),
        ):
            told = await wire.refusal("synapse/compact", params)
            assert why in told["message"], params
