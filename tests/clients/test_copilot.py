"""Copilot CLI reads the hooks of other clients, too: the block arrives all the same, and once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.conftest import FIRST, SECOND, client_of
from tests.clients.model import Model
from tests.clients.place import Place

GITHUB, CLAUDE = ".github/hooks", ".claude/settings.json"
ORDERS = [("copilot", "claude"), ("claude", "copilot")]


@pytest.fixture(scope="module", params=ORDERS, ids=" ".join)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """A project in which the hook is registered for both clients, in this order."""
    with Model() as model:
        place = Place(tmp_path_factory.mktemp("both"), model)
        copilot = client_of("copilot", place)
        for client in request.param:
            place.synapse("install", "--client", client, "--scope", "project")
        place.synapse("context", FIRST)
        copilot.ask(FIRST)
        copilot.ask(SECOND)
        yield place


def test_both_registrations_are_called(both: Place) -> None:
    prompts = [call.name for call in both.hooked if call.event.get("prompt") == FIRST]
    assert sorted(prompts) == ["UserPromptSubmit", "userPromptSubmitted"]


def test_the_model_reads_the_block_once(both: Place) -> None:
    block = both.synapse("context", FIRST)
    for asked in both.model.turns:
        assert asked.text.count(block) == 1


def test_the_prompts_are_counted_once(both: Place) -> None:
    session = both.json("session", "show", both.hooked[0].session)
    assert session["prompt_count"] == 2


@pytest.mark.parametrize("both", ORDERS[:1], ids=" ".join, indirect=True)
def test_the_doctor_finds_both_and_no_error(both: Place) -> None:
    found = both.json("doctor", "--runs", "1")
    registered = {
        client["client"]: {each["path"] for each in client["registrations"]}
        for client in found["clients"]
        if client["registrations"]
    }
    assert registered["claude"] == {CLAUDE}
    assert {Path(path).parent.as_posix() for path in registered["copilot"]} == {GITHUB}
    errors = [each for each in found["troubles"] if each["severity"] == "error"]
    assert errors == []
    for client in found["clients"]:
        if client["registrations"]:
            assert client["canary"]["ok"]
