"""Hooks without a process, in real clients: `synapse install --via mcp` has them call a tool of our hook
server, and the model reads what a command would have told it.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.clients.client import Client, program
from tests.clients.conftest import FIRST, SECOND, THIRD, client_of
from tests.clients.model import Model
from tests.clients.place import DEADLINE, Place
from tests.clients.test_guard import BOUNDARY, GIT, RAN
from tests.trees import TEAM

ABLE = ("claude", "codex")
SERVER = "synapse-hooks"
RULES = "<synapse-rules>"


@pytest.fixture(params=[name for name in ABLE if program(name)] or list(ABLE))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as found:
        yield found


def place_client(name: str, folder: Path, model: Model, mode: str = "warn") -> Client:
    """A client in a project with rules and a git that pushes nothing; it calls our server."""
    files = {**TEAM, ".synapse/config.toml": f"[guard]\nmode = '{mode}'\n", "git": GIT}
    place = Place(folder, model, files)
    (place.project / "git").chmod(0o755)
    client = client_of(name, place)
    place.provide(name, client.program)
    place.synapse("install", "--client", name, "--via", "mcp")
    place.have_patience()
    return client


def serving_processes(place: Place) -> list[int]:
    """The hook servers that run for this place."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().split(b"\0")
            here = f"HOME={place.home}".encode() in (entry / "environ").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        if here and b"hook-server" in line:
            found.append(int(entry.name))
    return found


def test_three_turns_are_told_what_commands_would_tell(
    name: str, tmp_path: Path, model: Model
) -> None:
    client = place_client(name, tmp_path, model)
    expected = client.place.synapse("context", FIRST)
    first = client.ask(FIRST)
    assert "UserPromptSubmit" not in {call.name for call in first.hooked}
    assert client.shown(expected) in first.read
    tool, arguments = client.tool()
    model.will_call(tool, **arguments)
    second = client.ask(SECOND)
    assert second.read.count(RULES) == first.read.count(RULES)
    third = client.ask(THIRD)
    assert "[ACTIVE AGENT: @qa]" in third.read
    assert not {tool for tool in third.asked[0].tools if "synapse" in tool}
    assert "Error" not in client.place.complaints
    assert not serving_processes(client.place)


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_the_guard_is_asked(name: str, mode: str, tmp_path: Path, model: Model) -> None:
    client = place_client(name, tmp_path, model, mode)
    tool, arguments = client.shell("./git push")
    model.will_call(tool, **arguments)
    turn = client.ask("@dev Publish it")
    assert (RAN in turn.read) is (mode == "warn")
    assert BOUNDARY in turn.read


def kill_server(place: Place) -> None:
    """Waits for a hook server of this place, and kills it."""
    until = time.monotonic() + DEADLINE
    while not (found := serving_processes(place)) and time.monotonic() < until:
        time.sleep(0.02)
    for process in found:
        os.kill(process, signal.SIGKILL)


def test_where_the_server_is_killed_the_prompt_goes_on_and_the_next_session_has_it(
    name: str, tmp_path: Path, model: Model
) -> None:
    client = place_client(name, tmp_path, model)
    killer = Thread(target=kill_server, args=(client.place,))
    killer.start()
    assert client.ask(FIRST).asked
    killer.join()
    assert "[ACTIVE AGENT: @qa]" in client.ask(THIRD).read


def decline(client: Client) -> None:
    """What a person does who does not want the server."""
    if client.name == "claude":
        local = client.place.project / ".claude" / "settings.local.json"
        local.write_text(json.dumps({"disabledMcpjsonServers": [SERVER]}))
    else:
        config = client.place.project / ".codex" / "config.toml"
        config.write_text(config.read_text() + "enabled = false\n")


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_where_the_server_is_declined_prompts_go_on_and_the_doctor_says_so(
    name: str, mode: str, tmp_path: Path, model: Model
) -> None:
    client = place_client(name, tmp_path, model, mode)
    decline(client)
    tool, arguments = client.shell("./git status")  # which no boundary forbids
    model.will_call(tool, **arguments)
    turn = client.ask("@dev Look at it")
    assert "NON-NEGOTIABLE" not in turn.asked[0].text
    # Claude Code asks the guard through the server, Codex by a command.
    assert (RAN in turn.read) is (mode == "warn" or name == "codex")
    found = client.place.doctor(name)
    assert {"declined-server", "unknown-line"} & {t["code"] for t in found["troubles"]}
    assert not found["ok"]
