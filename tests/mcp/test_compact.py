"""The tool ``compact``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mcp.clients import here, refused, said

MESSAGES = [
    {"role": "user", "content": "What is in the README?"},
    {"role": "assistant", "content": "How to install it, and how to run the tests."},
    {"role": "user", "content": "Thank you."},
]


async def test_messages_are_made_to_fit(team: Path, mode: str) -> None:
    async with here(team, mode) as client:
        text = await said(client, "compact", messages=json.dumps(MESSAGES), limit=10)
    line, _, rest = text.partition("\n\n")
    assert line.startswith("3 messages of 32 tokens became 1 message of 7 tokens: 2 dropped")
    assert json.loads(rest) == MESSAGES[2:]


async def test_a_file_of_the_project_is_read(team: Path) -> None:
    (team / "said.json").write_text(json.dumps(MESSAGES))
    async with here(team, "auto") as client:
        result = await client.call_tool("compact", {"file": "said.json", "limit": 10})
    assert result.structured_content is not None
    assert result.structured_content["after"]["tokens"] == 7


async def test_messages_may_be_a_list_and_not_its_text(team: Path) -> None:
    async with here(team, "auto") as client:
        told = [
            await said(client, "compact", messages=given, limit=10)
            for given in (MESSAGES, json.dumps(MESSAGES))
        ]
    assert told[0] == told[1]


async def test_what_cannot_be_compacted_is_refused_with_what_to_do(team: Path) -> None:
    async with here(team, "auto") as client:
        assert "Give either file or messages" in await refused(client, "compact")
        assert "is no JSON" in await refused(client, "compact", messages="[")
        assert "Cannot read x.json" in await refused(client, "compact", file="x.json")
        short = await refused(client, "compact", messages=json.dumps(MESSAGES), limit=3)
        assert "Give a limit of 7 or more" in short


@pytest.mark.parametrize(
    "spelled", ["../said.json", "inner/../../said.json", "link.json", "{outside}"]
)
async def test_a_file_outside_of_the_project_is_not_read(team: Path, spelled: str) -> None:
    outside = team.parent / "said.json"
    outside.write_text(json.dumps(MESSAGES))
    (team / "link.json").symlink_to(outside)
    (team / "inner").mkdir()
    async with here(team, "auto") as client:
        told = await refused(client, "compact", file=spelled.format(outside=outside))
    assert "is outside of the project" in told
    assert "`synapse compact`" in told


async def test_a_link_within_the_project_is_followed(team: Path) -> None:
    (team / "said.json").write_text(json.dumps(MESSAGES))
    (team / "link.json").symlink_to("said.json")
    async with here(team, "auto") as client:
        result = await client.call_tool("compact", {"file": "link.json", "limit": 10})
    assert not result.is_error


async def test_what_is_no_path_is_refused_with_what_to_do(team: Path) -> None:
    async with here(team, "auto") as client:
        assert "Cannot read" in await refused(client, "compact", file="a\0b")
