"""The guard in real clients: what it denies is not run, and the model is told why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients.client import Client, Turn, program
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.registry import CLIENTS
from tests.trees import TEAM

RAN = "the stand-in for git has run"
GIT = f"#!/bin/sh\necho {RAN}: $1\n"  # in the project: a client's shell may look for programs elsewhere
BOUNDARY = "AGENT_DEV_AUTH_0"  # of @dev: no `git push`, which is for @devops


@pytest.fixture(scope="module", params=[name for name in CLIENTS if program(name)] or list(CLIENTS))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as found:
        yield found


def guarded(name: str, folder: Path, model: Model, mode: str) -> Client:
    """A client in a project with a git that pushes nothing, whose guard is set to ``mode``."""
    files = {**TEAM, ".synapse/config.toml": f"[guard]\nmode = '{mode}'\n", "git": GIT}
    place = Place(folder, model, files)
    (place.project / "git").chmod(0o755)
    client = client_of(name, place)
    place.synapse("install", "--client", name, "--scope", "project")
    return client


def run(client: Client, *commands: str) -> Turn:
    """A prompt to @dev in which the model runs one command after the other."""
    for command in commands:
        tool, arguments = client.shell(command)
        client.place.model.will_call(tool, **arguments)
    turn = client.ask("@dev Publish it")
    assert len(turn.asked) == len(commands) + 1, f"not all were run: {client.place.complaints}"
    assert "Error" not in client.place.complaints
    return turn


class Enforced(NamedTuple):
    """What the model read after each of three calls."""

    denied: str
    asked: str
    allowed: str


@pytest.fixture(scope="module")
def enforced(name: str, tmp_path_factory: pytest.TempPathFactory) -> Enforced:
    with Model() as model:
        client = guarded(name, tmp_path_factory.mktemp(name), model, "enforce")
        commands = ("cd . && sh -c './git push'", './git "$ACTION"', "./git status")
        _, *read = run(client, *commands).asked
        return Enforced(*(asked.text for asked in read))


def test_what_is_denied_is_not_run_and_the_model_knows_why(enforced: Enforced) -> None:
    assert RAN not in enforced.denied
    assert BOUNDARY in enforced.denied and "@devops may" in enforced.denied


def test_what_has_to_be_asked_is_not_run_where_nobody_is(enforced: Enforced) -> None:
    assert RAN not in enforced.asked


def test_what_is_allowed_is_run(enforced: Enforced) -> None:
    assert RAN in enforced.allowed
    assert BOUNDARY not in enforced.allowed.rpartition(RAN)[2]


# Kilo runs OpenCode's code with our plug-in for both.
@pytest.mark.parametrize("name", [n for n in CLIENTS if program(n) and n != "kilo"] or ["claude"])
def test_what_is_warned_of_is_run_and_the_model_knows(
    name: str, tmp_path: Path, model: Model
) -> None:
    turn = run(guarded(name, tmp_path, model, "warn"), "./git push")
    assert RAN in turn.read
    assert "set to warn" in turn.read


CLOSING = ("claude", "codex", "gemini")  # clients that run here and know how a hook fails closed


@pytest.mark.parametrize("client_name", [name for name in CLOSING if program(name)] or CLOSING)
def test_where_the_program_is_gone_a_line_that_fails_closed_has_no_tool_used(
    client_name: str, tmp_path: Path, model: Model
) -> None:
    place = Place(tmp_path, model, {**TEAM, "git": GIT})
    (place.project / "git").chmod(0o755)
    client = client_of(client_name, place)
    place.synapse("install", "--client", client_name, "--scope", "project", "--fail-closed")
    place.remove_program()
    turn = run(client, "./git status")
    assert RAN not in turn.read
