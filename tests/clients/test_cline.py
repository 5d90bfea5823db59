"""What is Cline's alone: a plugin is asked before every call of the model, and what it adds is kept nowhere."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from synapse_ls.hooks.hook_timeout import LATE_REASON
from tests.clients.client import Client, Turn
from tests.clients.cline import Cline
from tests.clients.conftest import FIRST, client_of
from tests.clients.model import Model
from tests.clients.place import MOST_TURNS, Hooked, Place
from tests.clients.test_block import STANDING
from tests.clients.test_events import shape, shapes
from tests.hooks.test_hook_timeout import JUDGE_FOR_EVER, START

INNER = "Look around"  # what a sub-agent is asked


@pytest.fixture
def cline(tmp_path: Path) -> Iterator[Client]:
    """A client with the plugin."""
    with Model() as model:
        client = client_of("cline", Place(tmp_path, model))
        client.place.synapse("install", "--client", "cline", "--scope", "project")
        yield client


class ToolTurn(NamedTuple):
    """A turn with a call that succeeds, one that fails, one that writes a rule file and one that begins a
    sub-agent; what `synapse context` said before it.
    """

    expected: str
    turn: Turn
    place: Place

    @property
    def prompts(self) -> list[Hooked]:
        return [call for call in self.turn.hooked if call.name == "UserPromptSubmit"]


@pytest.fixture(scope="module")
def with_tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolTurn]:
    """A turn in which no hook took longer than Cline waits, for what comes late is not read."""
    for _ in range(MOST_TURNS):
        with Model() as model:
            found = take_turn(Place(tmp_path_factory.mktemp("cline"), model))
            if not found.place.was_late:
                yield found
                return
    raise AssertionError(f"hooks were late in each of {MOST_TURNS} turns")


def take_turn(place: Place) -> ToolTurn:
    """Has the client take the turn with its calls."""
    client = client_of("cline", place)
    assert isinstance(client, Cline)
    client.leave_daemon()
    place.synapse("install", "--client", "cline", "--scope", "project")
    expected = place.synapse("context", FIRST)
    for tool, arguments in (client.tool(), client.shell("exit 3")):
        place.model.will_call(tool, **arguments)
    docs = str(place.project / ".synapse" / "docs")
    place.model.will_call("editor", path=docs, new_text="DOCS_RULE_0 no sign\n", insert_line=1)
    place.model.will_call("spawn_agent", systemPrompt="You help", task=INNER)
    return ToolTurn(expected, client.ask(FIRST), place)


def test_every_call_of_the_model_has_each_rule_once(with_tools: ToolTurn) -> None:
    own = [asked for asked in with_tools.turn.asked if FIRST in asked.text]
    assert len(own) == 5
    for asked in own:
        assert asked.text.count(with_tools.expected) == 1
        assert all(asked.text.count(heading) == 1 for heading in STANDING)


def test_the_calls_of_a_turn_are_one_prompt(with_tools: ToolTurn) -> None:
    own = [call for call in with_tools.prompts if not call.event.get("agent_id")]
    assert [call.event["prompt"] for call in own] == [FIRST] * 5
    (name,) = {call.session for call in own}
    assert with_tools.place.json("session", "show", name)["prompt_count"] == 1


def test_a_sub_agent_is_told_in_its_own_window(with_tools: ToolTurn) -> None:
    (inner,) = (call for call in with_tools.prompts if call.event.get("prompt") == INNER)
    assert inner.event["agent_id"] and inner.session == with_tools.turn.hooked[0].session
    (asked,) = (asked for asked in with_tools.turn.asked if FIRST not in asked.text)
    assert all(asked.text.count(heading) == 1 for heading in STANDING)


def test_what_a_rule_file_lacks_is_told_to_the_agent_that_wrote_it(with_tools: ToolTurn) -> None:
    (told,) = (c.told for c in with_tools.turn.hooked if c.name == "PostToolUse" and c.told)
    assert "docs" in told and told in with_tools.turn.read


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


def test_a_guard_that_never_gets_on_denies_where_it_enforces(cline: Client, tmp_path: Path) -> None:
    place = cline.place
    (place.project / ".synapse/config.toml").write_text('[guard]\nmode = "enforce"\n')
    place.synapse("install", "--client", "cline", "--scope", "project")  # which has the guard asked
    place.synapse("context", FIRST)  # which makes the plan
    code = shlex.quote(START.format(waiting=JUDGE_FOR_EVER))
    script = f'#!/bin/sh\nexec {sys.executable} -c {code} "$@"\n'
    (tmp_path / "bin" / "synapse").write_text(script)
    tool, arguments = cline.shell("touch used")
    used = place.project / "used"
    for _ in range(MOST_TURNS):  # a busy machine may start the hook later than Cline waits
        used.unlink(missing_ok=True)
        place.model.will_call(tool, **arguments)
        turn = cline.ask("Say hello")
        if LATE_REASON in turn.read:
            break
    assert LATE_REASON in turn.read
    assert not used.exists()
