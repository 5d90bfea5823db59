"""An agent keeps Brainiac's short-term memory, by the official client."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp import types

from tests.mcp.clients import here, refused, said

TREES = Path(__file__).parent.parent / "workspaces"


@pytest.fixture
def mira(tmp_path: Path) -> Path:
    return shutil.copytree(TREES / "brainiac", tmp_path / "mira")


async def test_what_an_agent_keeps_is_told_with_the_next_prompt(mira: Path, mode: str) -> None:
    async with here(mira, mode) as client:
        text = await said(
            client,
            "short_term_update",
            user="Did it work?",
            tasks=["Tell Ana"],
            done=["read switch"],
        )
        block = await said(client, "get_context", prompt="Go on")
    assert "[x] Write the read switch" in text
    assert "- [ ] Tell Ana" in block
    assert "Did it work?" in block


async def test_nothing_is_kept_where_memory_is_off(mira: Path, mode: str) -> None:
    (mira / ".synapse").mkdir(exist_ok=True)
    (mira / ".synapse/config.toml").write_text("[memory]\nenabled = false\n")
    before = (mira / "memory/short_term.md").read_bytes()
    async with here(mira, mode) as client:
        for kept in ({"facts": ["Ana is away"]}, {"user": "Hello"}, {"summary": "Away"}):
            refusal = await refused(client, "short_term_update", **kept)
            assert "`memory.enabled` is false" in refusal
    assert (mira / "memory/short_term.md").read_bytes() == before


async def test_what_cannot_be_is_said_in_a_sentence(mira: Path, team: Path, mode: str) -> None:
    async with here(mira, mode) as client:
        assert "no item 99" in (await refused(client, "short_term_update", done=["99"])).lower()
        assert "nothing to be changed" in await refused(client, "short_term_update")
        both = await refused(client, "short_term_update", summary="x", user="y")
        assert "leaves the summary as it is" in both
    async with here(team, mode) as client:
        assert "no tree of Brainiac" in await refused(client, "short_term_update", user="x")


async def test_a_person_is_asked_about_what_goes_by_its_words(mira: Path, mode: str) -> None:
    (mira / ".synapse").mkdir(exist_ok=True)
    (mira / ".synapse/config.toml").write_text('[guard]\nmode = "enforce"\n')
    asked: list[str] = []

    async def ask(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="decline")

    async with here(mira, mode, elicitation_callback=ask) as client:
        await refused(client, "short_term_update", dropped=["1"], done=["read switch"])
        await refused(client, "short_term_update", summary="New.")
    assert "dropped: “Switch reads of reservations to PostgreSQL" in asked[0]
    assert "done: “Write the read switch" in asked[0]
    assert "summary: “New.”; summary until now: “We are moving seat reservations" in asked[1]
    assert len(asked[1]) < 500


async def test_nothing_goes_that_came_in_its_place_while_a_person_was_asked(
    mira: Path, mode: str
) -> None:
    (mira / ".synapse").mkdir(exist_ok=True)
    (mira / ".synapse/config.toml").write_text('[guard]\nmode = "enforce"\n')
    file = mira / "memory/short_term.md"

    async def ask(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        if "Keep reads" in params.message:
            return types.ElicitResult(action="decline")
        file.write_text(file.read_text("utf-8").replace("Switch reads", "Keep reads"), "utf-8")
        return types.ElicitResult(action="accept", content={})

    async with here(mira, mode, elicitation_callback=ask) as client:
        refusal = await refused(client, "short_term_update", dropped=["1"])
    assert "so nothing was changed" in refusal
    assert "Keep reads" in file.read_text("utf-8")
