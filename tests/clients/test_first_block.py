"""The way of a newcomer in ``docs/first-block.md``, with its own commands, in a client of each kind."""

from __future__ import annotations

import os
import time

import pytest

from tests.clients.client import Client, program
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.newcomer import Installed, install_program, steps, worked_seconds
from tests.clients.place import MOST_TURNS, Place
from tests.clients.registry import CLIENTS

BAR = 120.0  # seconds; of the processor alone where others keep the machine busy
KINDS = ("claude", "codex", "opencode")
"""A client with lines in the project's settings, one whose hooks a person approves, and one with a plugin;
`test_block.py` starts them all.
"""
FOUND = [name for name in KINDS if program(name)] or [name for name in CLIENTS if program(name)][:1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A clean virtual environment after the first step."""
    if not FOUND:  # nobody is to wait for pip where there is no client that could ask afterwards
        pytest.skip("there is no client in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for them")
    made = install_program(tmp_path_factory.mktemp("newcomer"))
    if made is None:
        pytest.skip("pip can install nothing without a network")
    return made


def ask_until_told(client: Client, prompt: str) -> int:
    """Have the client do a prompt, and again where it does not wait for a late hook; returns how often."""
    client.start(prompt)
    turns = 1
    while not (client.waits or "<synapse-rules>" in client.place.model.turns[-1].text):
        assert turns < MOST_TURNS, "the hook was late each time"
        client.start(prompt)
        turns += 1
    return turns


@pytest.mark.parametrize("name", FOUND or KINDS)
def test_a_newcomer_gets_to_the_first_block_in_two_minutes(
    name: str,
    installed: Installed,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Model() as model:
        place = Place(tmp_path_factory.mktemp(name), model, {}, installed.programs)
        client = client_of(name, place)
        taken, worked = [installed.seconds], installed.worked - worked_seconds()
        said, turns = "", 0
        for step in steps()[1:]:
            begun = time.monotonic()
            if step.title == "Let the client trust it":
                client.trust()
            elif step.title == "Ask something":
                turns = ask_until_told(client, "Say hello")
            for command in step.commands:
                said = place.run("/bin/sh", "-c", command.replace("claude", name))
            taken.append(time.monotonic() - begun)
        block = place.synapse("context", "Say hello")
        *_, asked = model.turns
        assert len(model.turns) == turns
        assert asked.text.count(client.shown(block)) == 1
        assert name in said, "the log names the client"
        with capsys.disabled():
            print()
            for step, seconds in zip(steps(), taken, strict=True):
                print(f"{name:8} {seconds:6.1f} s  {step.title}")
        is_busy = os.getloadavg()[0] > (os.cpu_count() or 1)
        assert (worked + worked_seconds() if is_busy else sum(taken)) < BAR
