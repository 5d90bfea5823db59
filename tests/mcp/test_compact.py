"""The tool ``compact``."""

from __future__ import annotations

import json
from pathlib import Path

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


async def test_what_cannot_be_compacted_is_refused_with_what_to_do(team: Path) -> None:
    async with here(team, "auto") as client:
        assert "Give either file or messages" in await refused(client, "compact")
        assert "is no JSON" in await refused(client, "compact", messages="[")
        assert "Cannot read x.json" in await refused(client, "compact", file="x.json")
        short = await refused(client, "compact", messages=json.dumps(MESSAGES), limit=3)
        assert "Give a limit of 7 or more" in short
