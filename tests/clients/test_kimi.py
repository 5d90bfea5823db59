"""Kimi Code, whose hooks stand in the settings of the person: what the hook says of a prompt stays before the model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients.client import Turn, program
from tests.clients.conftest import FIRST, THIRD
from tests.clients.kimi import CONFIG, Kimi
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.test_block import STANDING
from tests.clients.test_events import shape, shapes
from tests.clients.test_guard import GIT, RAN
from tests.trees import TEAM


def kimi_in(place: Place) -> Kimi:
    """The client without a hook, or the reason why the test is skipped."""
    found = program("kimi")
    if found is None:
        pytest.skip("there is no kimi in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for it")
    return Kimi(found, place)


def hooked_kimi_in(place: Place) -> Kimi:
    """The client with the hook, whose calls are written down."""
    client = kimi_in(place)
    client.install()
    client.record()
    return client


def test_what_is_installed_brings_the_block_and_goes_without_a_trace(tmp_path: Path) -> None:
    with Model() as model:
        client = kimi_in(Place(tmp_path, model))
        config = client.place.home / CONFIG
        before = config.read_bytes()
        client.install()
        expected = client.place.synapse("context", FIRST).strip()
        assert client.ask(FIRST).read.count(expected) == 1
        client.place.synapse("uninstall", "--client", "kimi")
        assert config.read_bytes() == before
        assert "[CONSTITUTION]" not in client.ask(FIRST).read


class Held(NamedTuple):
    """A session of three prompts, in the second of which the model reads a file; what `synapse context`
    said before it.
    """

    client: Kimi
    expected: str
    first: Turn
    unchanged: Turn
    switched: Turn


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    with Model() as model:
        client = hooked_kimi_in(Place(tmp_path_factory.mktemp("kimi"), model))
        expected = client.place.synapse("context", FIRST).strip()
        first = client.ask(FIRST)
        tool, arguments = client.tool()
        model.will_call(tool, **arguments)
        yield Held(client, expected, first, client.ask("Go on"), client.ask(THIRD))


def test_a_session_is_told_each_rule_once_and_what_has_changed(held: Held) -> None:
    client = held.client
    assert held.first.read.count(held.expected) == 1
    assert len(held.unchanged.asked) == 2
    for asked in held.unchanged.asked:
        assert asked.text.count(held.expected) == 1
        assert asked.text.count("hook_result") == 2  # around the block, and around nothing else
    assert "[ACTIVE AGENT: @qa]" in held.switched.read
    assert all(held.switched.read.count(heading) == 1 for heading in STANDING)
    assert client.place.json("session", "show", client.session)["prompt_count"] == 3


def test_each_event_has_a_recorded_one_of_its_shape(held: Held, tmp_path: Path) -> None:
    calls = (*held.first.hooked, *held.unchanged.hooked)
    assert {call.name for call in calls} >= {"SessionStart", "UserPromptSubmit", "PreToolUse"}
    odd = [c for c in calls if shape(c.event) not in shapes("kimi", c.name, tmp_path)]
    assert odd == []


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What the model read after a call that is denied, and after one that is not."""
    files = {**TEAM, ".synapse/config.toml": "[guard]\nmode = 'enforce'\n", "git": GIT}
    with Model() as model:
        place = Place(tmp_path_factory.mktemp("kimi"), model, files)
        (place.project / "git").chmod(0o755)
        client = hooked_kimi_in(place)
        for command in ("./git push", "./git status"):
            tool, arguments = client.shell(command)
            model.will_call(tool, **arguments)
        _, denied, allowed = client.ask("@dev Publish it").asked
        return denied.text, allowed.text


def test_what_is_denied_is_not_run_and_the_model_knows_why(guarded: tuple[str, str]) -> None:
    denied, _ = guarded
    assert RAN not in denied
    assert "AGENT_DEV_AUTH_0" in denied.rpartition("call_")[2]


def test_what_is_allowed_is_run(guarded: tuple[str, str]) -> None:
    _, allowed = guarded
    assert RAN in allowed
    assert "AGENT_DEV_AUTH_0" not in allowed.rpartition("call_")[2]
