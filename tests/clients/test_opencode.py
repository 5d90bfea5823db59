"""What is OpenCode's alone: a plugin of ours calls the hook, and stores what it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.clients.client import Client
from tests.clients.conftest import FIRST, client_of
from tests.clients.model import Model, Usage
from tests.clients.opencode import WINDOW, OpenCode
from tests.clients.place import Place
from tests.clients.test_block import STANDING


@pytest.fixture
def opencode(tmp_path: Path) -> Iterator[OpenCode]:
    """A client in a session in which the rules stand."""
    with Model() as model:
        client = client_of("opencode", Place(tmp_path, model))
        client.place.synapse("install", "--client", "opencode", "--scope", "project")
        assert isinstance(client, OpenCode) and client.ask(FIRST).told
        yield client


def test_a_sub_agent_is_told_in_its_own_window(opencode: Client) -> None:
    task = {"description": "Look", "prompt": "Look around", "subagent_type": "general"}
    opencode.place.model.will_call("task", **task)
    turn = opencode.ask("Have it looked at")
    (start,) = (call for call in turn.hooked if call.name == "SubagentStart")
    assert start.session == opencode.session and start.event["agent_id"] != start.session
    assert start.told
    _, inner, outer = turn.asked
    for asked in (inner, outer):
        assert all(asked.text.count(heading) == 1 for heading in STANDING)


def test_the_text_of_a_command_is_no_word_of_the_person(opencode: OpenCode) -> None:
    folder = opencode.place.project / ".opencode/command"
    folder.mkdir()
    (folder / "look.md").write_text("*exit\n\nLook at $ARGUMENTS.\n", encoding="utf-8")
    opencode.leave()
    opencode.change("command", command="look", arguments="the docs")
    turn = opencode.ask("Go on")
    prompts = [c.event["prompt"] for c in opencode.place.hooked if c.name == "UserPromptSubmit"]
    assert prompts == [FIRST, "/look the docs", "Go on"]
    assert "*exit" in turn.read and "no longer apply" not in turn.read


def test_what_an_undo_takes_back_comes_again_and_nothing_else(opencode: OpenCode) -> None:
    opencode.ask("@qa look")
    opencode.change("revert", messageID=opencode.message_of("@qa look"))
    turn = opencode.ask("Look at it")
    assert all(turn.read.count(heading) == 1 for heading in STANDING)
    assert turn.read.count("[ACTIVE AGENT: @qa]") == 1
    assert turn.read.count("@dev's rules no longer apply") == 1
    assert opencode.ask("Go on").told == ""


def test_an_undo_to_before_a_compaction_repeats_nothing(opencode: OpenCode) -> None:
    opencode.ask("More")
    opencode.change("summarize", providerID="stand-in", modelID="stand-in")
    assert opencode.ask("@qa look").told
    opencode.change("revert", messageID=opencode.message_of("More"))
    turn = opencode.ask("Look at it")
    assert all(turn.read.count(heading) == 1 for heading in STANDING)
    assert turn.read.count("[ACTIVE AGENT: @qa]") == 1
    assert turn.read.count("@dev's rules no longer apply") == 1


def test_a_fork_is_told_nothing_twice(opencode: OpenCode) -> None:
    opencode.ask("Go on")
    opencode.session = opencode.change("fork")["id"]
    turn = opencode.ask("And on")
    assert turn.told == ""
    assert all(turn.read.count(heading) == 1 for heading in STANDING)


def test_a_fork_that_begins_with_a_compaction_has_its_agent(opencode: OpenCode) -> None:
    opencode.session = opencode.change("fork")["id"]
    opencode.change("summarize", providerID="stand-in", modelID="stand-in")
    turn = opencode.ask("And on")
    assert all(turn.read.count(heading) == 1 for heading in (*STANDING, "[ACTIVE AGENT: @dev]"))


def test_a_stopped_prompt_stays(opencode: OpenCode) -> None:
    model = opencode.place.model
    with model.thinking():
        asked = len(model.turns)
        stopped = Thread(target=opencode.send, args=("@qa look",))
        stopped.start()
        while len(model.turns) == asked:
            stopped.join(0.05)
        opencode.change("abort")
    stopped.join()
    turn = opencode.ask("Look at it")
    assert turn.read.count("[ACTIVE AGENT: @qa]") == 1


def test_usage_is_that_of_the_last_answer(opencode: Client) -> None:
    opencode.place.model.usage = Usage(WINDOW // 2 - 230)
    opencode.ask("Go on")
    opencode.ask("Once more")
    opencode.start("And on")  # in another process, which asks for what was stored
    prompts = [c.event for c in opencode.place.hooked if c.name == "UserPromptSubmit"]
    assert [event.get("context_tokens") for event in prompts] == [
        None,
        Usage().sent,
        WINDOW // 2,
        WINDOW // 2,
    ]
    assert {event["context_window_size"] for event in prompts} == {WINDOW}
    assert [event.get("one_shot", False) for event in prompts] == [False, False, False, True]
    shown = opencode.place.json("session", "show", opencode.session)
    assert shown["context"]["last_bracket"] in ("MODERATE", "FRESH")


def test_a_file_that_a_prompt_attaches_is_named(opencode: Client) -> None:
    line = opencode.line("See that")
    line[2:2] = ["--file", ".synapse/docs"]
    opencode.place.run(*line, **opencode.environment())
    (event,) = (c.event for c in opencode.place.hooked if c.event.get("prompt") == "See that")
    assert [Path(file).name for file in event["files"]] == ["docs"]


def test_without_a_program_the_client_does_its_work(tmp_path: Path) -> None:
    with Model() as model:
        client = client_of("opencode", Place(tmp_path, model, {}))
        client.place.synapse("install", "--client", "opencode", "--scope", "project")
        for program in (tmp_path / "bin").iterdir():
            program.unlink()
        tool, arguments = client.shell("echo it has run")
        model.will_call(tool, **arguments)
        turn = client.ask("Say hello")
        assert turn.hooked == ()
        assert "it has run" in turn.read
