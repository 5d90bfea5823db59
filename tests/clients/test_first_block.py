"""The way of a newcomer in ``docs/first-block.md``, with its own commands, in each client.

Here pip needs a network or a cache of its own; without either there is nothing to measure.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients.client import program
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.registry import CLIENTS

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = REPOSITORY / "docs" / "first-block.md"
BAR = 120.0  # seconds
FOUND = [name for name in CLIENTS if program(name)]
NO_NETWORK = ("Could not find a version", "No matching distribution", "Failed to establish")


class Step(NamedTuple):
    title: str
    commands: tuple[str, ...]


def steps() -> list[Step]:
    """The steps of the page, and what it has somebody type in each."""
    _, *parts = re.split(r"^## \d\. ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = (re.findall(r"^```sh\n(.*?)^```", part, re.MULTILINE | re.DOTALL) for part in parts)
    return [
        Step(part.partition("\n")[0], tuple("".join(found).splitlines()))
        for part, found in zip(parts, blocks, strict=True)
    ]


class Installed(NamedTuple):
    """Where the newcomer's programs are, and the seconds that it took to install them."""

    programs: Path
    seconds: float


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A clean virtual environment after the first step."""
    if not FOUND:  # nobody is to wait for pip where there is no client that could ask afterwards
        pytest.skip("there is no client in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for them")
    folder = tmp_path_factory.mktemp("newcomer")
    (folder / "synapse-ls").symlink_to(REPOSITORY)
    programs = folder / "env" / "bin"
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    first = steps()[0]
    begun = time.monotonic()
    for line in first.commands:
        # pipx does the same in an environment that it makes: here that is the client's as well.
        command = line.partition("#")[0].replace("pipx", "pip")
        done = subprocess.run(
            [str(programs / "python"), "-m", *command.replace("~", str(folder)).split()],
            capture_output=True,
            encoding="utf-8",
        )
        if done.returncode and any(sign in done.stderr for sign in NO_NETWORK):
            pytest.skip("pip can install nothing without a network")
        assert done.returncode == 0, done.stderr
    return Installed(programs, time.monotonic() - begun)


@pytest.mark.parametrize("name", FOUND or list(CLIENTS))
def test_a_newcomer_gets_to_the_first_block_in_two_minutes(
    name: str,
    installed: Installed,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Model() as model:
        place = Place(tmp_path_factory.mktemp(name), model, {}, installed.programs)
        client = client_of(name, place)
        taken = [installed.seconds]
        said = ""
        for step in steps()[1:]:
            begun = time.monotonic()
            if step.title == "Let the client trust it":
                client.trust()
            elif step.title == "Ask something":
                client.ask("Say hello")
            for command in step.commands:
                said = place.run("/bin/sh", "-c", command.replace("claude", name))
            taken.append(time.monotonic() - begun)
        block = place.synapse("context", "Say hello")
        (asked,) = model.turns
        assert asked.text.count(client.shown(block)) == 1
        assert name in said, "the log names the client"
        with capsys.disabled():
            print()
            for step, seconds in zip(steps(), taken, strict=True):
                print(f"{name:8} {seconds:6.1f} s  {step.title}")
        assert sum(taken) < BAR
