"""What is Cline's alone: a plugin is asked before every call of the model, and what it adds is kept nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients.client import Client, Turn
from tests.clients.conftest import FIRST, client_of
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.test_block import STANDING
from tests.clients.test_events import shape, shapes


@pytest.fixture
def cline(tmp_path: Path) -> Iterator[Client]:
    """A client with the plugin."""
    with Model() as model:
        client = client_of("cline", Place(tmp_path, model))
        client.place.synapse("install", "--client", "cline", "--scope", "project")
        yield client


class ToolTurn(NamedTuple):
    """A turn with a call that succeeds and one that fails; what `synapse context` said before it."""

    expected: str
    turn: Turn
    place: Place


@pytest.fixture(scope="module")
def with_tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolTurn]:
    with Model() as model:
        client = client_of("cline", Place(tmp_path_factory.mktemp("cline"), model))
        client.place.synapse("install", "--client", "cline", "--scope", "project")
        expected = client.place.synapse("context", FIRST)
        for tool, arguments in (client.tool(), client.shell("exit 3")):
            model.will_call(tool, **arguments)
        yield ToolTurn(expected, client.ask(FIRST), client.place)


def test_every_call_of_the_model_has_each_rule_once(with_tools: ToolTurn) -> None:
    assert len(with_tools.turn.asked) == 3
    for asked in with_tools.turn.asked:
        assert asked.text.count(with_tools.expected) == 1
        assert all(asked.text.count(heading) == 1 for heading in STANDING)


def test_the_calls_of_a_turn_are_one_prompt(with_tools: ToolTurn) -> None:
    calls = [call for call in with_tools.turn.hooked if call.name == "UserPromptSubmit"]
    assert [call.event["prompt"] for call in calls] == [FIRST] * 3
    (name,) = {call.session for call in calls}
    assert with_tools.place.json("session", "show", name)["prompt_count"] == 1


def test_a_sub_agent_is_told_in_its_own_window(cline: Client) -> None:
    cline.place.model.will_call("spawn_agent", systemPrompt="You help", task="Look around")
    turn = cline.ask("Have it looked at")
    (inner,) = (call for call in turn.hooked if call.event.get("prompt") == "Look around")
    assert inner.event["agent_id"] and inner.session == turn.hooked[0].session
    assert len(turn.asked) == 3
    for asked in turn.asked:
        assert all(asked.text.count(heading) == 1 for heading in STANDING)


def test_what_a_rule_file_lacks_is_told_to_the_agent_that_wrote_it(cline: Client) -> None:
    path = str(cline.place.project / ".synapse" / "docs")
    cline.place.model.will_call(
        "editor", path=path, new_text="DOCS_RULE_0 no sign\n", insert_line=1
    )
    turn = cline.ask("Write it")
    (used,) = (call for call in turn.hooked if call.name == "PostToolUse")
    assert "docs" in used.told and used.told in turn.read


def test_each_event_has_a_recorded_one_of_its_shape(with_tools: ToolTurn, tmp_path: Path) -> None:
    calls = with_tools.turn.hooked
    assert {call.name for call in calls} == {
        "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
    }  # fmt: skip
    odd = [call for call in calls if shape(call.event) not in shapes("cline", call.name, tmp_path)]
    assert odd == []


def test_without_a_program_the_client_does_its_work(cline: Client, tmp_path: Path) -> None:
    for program in (tmp_path / "bin").iterdir():
        program.unlink()
    tool, arguments = cline.shell("echo it has run")
    cline.place.model.will_call(tool, **arguments)
    turn = cline.ask("Say hello")
    assert turn.hooked == ()
    assert "it has run" in turn.read


def test_a_program_that_does_not_end_is_not_waited_for(cline: Client, tmp_path: Path) -> None:
    script = "#!/bin/sh\nsleep 20\n"  # which goes on without the shell, with the hook's output
    (tmp_path / "bin" / "synapse").write_text(script)
    assert len(cline.ask("Say hello").asked) == 1
