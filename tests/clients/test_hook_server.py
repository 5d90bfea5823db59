"""Hooks without a process, in real clients: `synapse install --via mcp` has them call a tool of our hook
server, and the model reads what a command would have told it.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from threading import Thread
from typing import Any

import pytest

from synapse_ls.integrations.settings_registry import CLIENTS as SETTINGS
from tests.clients.client import Client, program
from tests.clients.codex import WHO
from tests.clients.conftest import FIRST, SECOND, THIRD, client_of
from tests.clients.model import Asked, Model
from tests.clients.place import DEADLINE, DIES, HANGS, Place
from tests.clients.test_guard import BOUNDARY, GIT, RAN
from tests.clients.wire import Said
from tests.kill_points import wait_until
from tests.trees import TEAM

ABLE = ("claude", "codex")
SERVER = "synapse-hooks"
RULES = "<synapse-rules>"
MODES = [("claude", "warn"), ("claude", "enforce"), ("codex", "enforce")]
by_mode = pytest.mark.parametrize(
    ("name", "mode"), [(name, mode) for name, mode in MODES if program(name)] or MODES
)


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
    return place.find_processes(b"hook-server")


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
    wait_until(lambda: not serving_processes(client.place))


@by_mode
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
        time.sleep(0.1)
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


@contextmanager
def conversation(client: Client) -> Iterator[Callable[[str], Asked]]:
    """A client that is started once for several prompts: what gives it one, and returns what the model
    was asked last.
    """
    if client.name == "claude":
        form = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        line = [str(client.program), "--print", *form]
    else:
        client.trust()
        line = [str(client.program), "app-server"]
    with client.place.start(*line, **client.environment()) as process:
        give = (
            speak_to_claude(process) if client.name == "claude" else speak_to_codex(process, client)
        )

        def say(prompt: str) -> Asked:
            give(prompt)
            return client.place.model.turns[-1]

        yield say
        process.terminate()


def speak_to_claude(process: Popen[str]) -> Callable[[str], None]:
    def give(prompt: str) -> None:
        said = {"type": "user", "message": {"role": "user", "content": prompt}}
        send_line(process, said)
        next(line for line in lines_of(process) if line["type"] == "result")

    return give


def speak_to_codex(process: Popen[str], client: Client) -> Callable[[str], None]:
    lines = lines_of(process)
    send_line(process, {"id": 1, "method": "initialize", "params": {"clientInfo": WHO}})
    send_line(process, {"method": "initialized"})
    place = {"cwd": str(client.place.project)}
    send_line(process, {"id": 2, "method": "thread/start", "params": place})
    begun = next(line for line in lines if line.get("id") == 2)
    thread = {"threadId": begun["result"]["thread"]["id"]}

    def give(prompt: str) -> None:
        params = {**thread, "input": [{"type": "text", "text": prompt}]}
        send_line(process, {"id": 3, "method": "turn/start", "params": params})
        next(line for line in lines if line.get("method") == "turn/completed")

    return give


def send_line(process: Popen[str], message: object) -> None:
    assert process.stdin
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def lines_of(process: Popen[str]) -> Iterator[dict[str, Any]]:
    assert process.stdout
    return map(json.loads, process.stdout)


def test_where_the_server_ends_in_a_session_prompts_go_on_and_claude_code_starts_another(
    name: str, tmp_path: Path, model: Model
) -> None:
    client = place_client(name, tmp_path, model)
    with conversation(client) as say:
        assert say(FIRST).text.count(RULES) == 1
        (server,) = serving_processes(client.place)
        assert say(f"@qa {HANGS}").text.count(RULES) == 1
        assert "[ACTIVE AGENT: @qa]" in say(THIRD).text  # it has started anew, in its own place
        assert serving_processes(client.place) == [server]
        told = say(f"@dev {DIES}").text.count(RULES)
        assert told == 2
        after = say(FIRST).text.count(RULES)
        assert after == told + SETTINGS[name].restarts_servers
    assert client.ask(THIRD).read.count(RULES) == 1  # the next session


def test_what_is_forbidden_is_not_run_though_the_server_was_killed(
    name: str, tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = place_client(name, tmp_path, model, "enforce")
    answer = model.answer

    def kill_and_answer(asked: Asked) -> Said:
        said = answer(asked)
        if said.call:
            kill_server(client.place)
        return said

    monkeypatch.setattr(model, "answer", kill_and_answer)
    tool, arguments = client.shell("./git push")
    model.will_call(tool, **arguments)
    turn = client.ask("@dev Publish it")
    assert RAN not in turn.read
    # Claude Code may notice it only as it calls: then nothing has answered, and it refuses.
    assert BOUNDARY in turn.read or 'blocking because onFailure is "block"' in turn.read


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_where_the_server_dies_as_the_guard_is_asked_only_enforcement_stops_the_tool(
    mode: str, tmp_path: Path, model: Model
) -> None:
    client = place_client("claude", tmp_path, model, mode)
    tool, arguments = client.shell(f"./git status '{DIES}'")  # which no boundary forbids
    model.will_call(tool, **arguments)
    turn = client.ask("@dev Look at it")
    assert RULES in turn.read
    assert (RAN in turn.read) is (mode == "warn")


def decline(client: Client) -> None:
    """What a person does who does not want the server."""
    if client.name == "claude":
        local = client.place.project / ".claude" / "settings.local.json"
        local.write_text(json.dumps({"disabledMcpjsonServers": [SERVER]}))
    else:
        config = client.place.project / ".codex" / "config.toml"
        config.write_text(config.read_text() + "enabled = false\n")


@by_mode
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
