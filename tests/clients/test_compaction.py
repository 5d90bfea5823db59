"""Real clients compact their history, and the next request to the model has every rule again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.clients.client import Client, Turn
from tests.clients.codex import COMPACTS_AT, Codex
from tests.clients.conftest import client_of
from tests.clients.gemini import WINDOW
from tests.clients.model import Asked, Model, Usage
from tests.clients.opencode import WINDOW as OPENCODE_WINDOW
from tests.clients.place import Place
from tests.trees import TEAM

THINGS = (
    "dates",
    "keys",
    "names",
    "money",
    "links",
    "tests",
    "logs",
    "ids",
    "units",
    "roles",
    "types",
    "flags",
)
RULES = [
    f"Rule {number} says that {thing} stays as it is, whoever asks for something else, until the person "
    "who answers for it has written down what may change, on whose word, from when on, and why"
    for number, thing in enumerate(THINGS)
]
"""More than a bracket's budget holds at once, and less than a client takes."""

FILES = {
    **TEAM,
    ".synapse/global": "".join(f"GLOBAL_RULE_{n}={rule}\n" for n, rule in enumerate(RULES)),
}
HEADINGS = ("[CONSTITUTION] (NON-NEGOTIABLE)", "[ACTIVE AGENT: @dev]", "[GLOBAL]")
CLAUDE_WINDOW = 100_000
FULL = {
    "claude": Usage(CLAUDE_WINDOW - 1000),
    "codex": Usage(COMPACTS_AT + 500),
    "gemini": Usage(WINDOW // 2 + WINDOW // 10),
    "opencode": Usage(OPENCODE_WINDOW - 1000),
}
"""What the model claims to have used, so that a client compacts by itself."""


class Resumed(NamedTuple):
    """A session that has just been resumed, with the first turn since then."""

    client: Client
    turn: Turn


@pytest.fixture(scope="module", params=[*FULL])
def resumed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Resumed]:
    """A session in which all rules stand: after each of the tests they do so again."""
    name: str = request.param
    with Model() as model:
        model.summary = "<state_snapshot>The stand-in was asked.</state_snapshot>"
        place = Place(tmp_path_factory.mktemp(name), model, FILES)
        client = client_of(name, place)
        if name == "claude":
            shared = client.environment()
            window = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(CLAUDE_WINDOW)}
            client.environment = lambda: {**shared, **window}  # type: ignore[method-assign]
        place.synapse("install", "--client", name, "--scope", "project")
        client.ask("@dev Say hello")
        assert has_all(client, client.ask("Go on").asked[-1])
        yield Resumed(client, client.start("And on"))


def has_all(client: Client, asked: Asked) -> bool:
    return all(client.shown(text) in asked.text for text in (*RULES, *HEADINGS))


def fill(client: Client, *, tools: int) -> Turn:
    """A turn whose first answer claims that the window is full, and then calls tools."""
    client.place.model.will_claim(FULL[client.name])
    tool, arguments = client.tool()
    for _ in range(tools):
        client.place.model.will_call(tool, **arguments)
    return client.ask("Fill the window")


def compactions(turn: Turn) -> list[str]:
    """What the client said of compactions, in its own words."""
    return [
        str(call.event.get("source") or call.event.get("trigger"))
        for call in turn.hooked
        if call.name == "PreCompact"
        or (call.name == "SessionStart" and call.event.get("source") == "compact")
    ]


def test_a_session_that_is_resumed_keeps_its_rules_and_is_told_none_twice(resumed: Resumed) -> None:
    client, turn = resumed
    assert [call.told for call in turn.hooked if call.told] == []
    assert has_all(client, turn.asked[-1])
    assert turn.asked[-1].text.count(client.shown(RULES[0])) == 1


def test_a_compaction_within_a_turn(resumed: Resumed) -> None:
    client = resumed.client
    turn = fill(client, tools=2)
    if client.name == "gemini":
        # No event tells of it: the rules come with the first event that follows.
        assert not has_all(client, turn.asked[1])
        assert any(has_all(client, asked) for asked in turn.asked[2:])
    else:
        assert "compact" in compactions(turn)
        assert all(has_all(client, asked) for asked in turn.asked)
    assert has_all(client, turn.asked[-1])
    assert has_all(client, client.ask("And on").asked[-1])


@pytest.mark.parametrize("resumed", ["claude", "codex"], indirect=True)
def test_a_compaction_that_comes_with_a_prompt(resumed: Resumed) -> None:
    client = resumed.client
    fill(client, tools=0)
    turn = client.ask("Once more")
    assert "compact" in compactions(turn)
    assert all(has_all(client, asked) for asked in turn.asked)


@pytest.mark.parametrize("resumed", ["claude"], indirect=True)
def test_a_note_is_there_after_a_compaction_and_the_summary_is_asked_for_nothing_more(
    resumed: Resumed,
) -> None:
    client = resumed.client
    before = len(client.place.model.requests)
    compaction = client.ask("/compact")
    turn = client.ask("Once more")
    assert compactions(compaction) == ["manual", "compact"]
    assert "[CONTINUATION]" in turn.asked[0].text
    asked = "".join(request.text for request in client.place.model.requests[before:])
    assert "<summary>" in asked and "Additional Instructions:" not in asked


@pytest.mark.parametrize("resumed", ["claude", "codex", "gemini"], indirect=True)
def test_a_compaction_by_a_command(resumed: Resumed) -> None:
    client = resumed.client
    before = len(client.place.hooked)
    if isinstance(client, Codex):
        client.trust()
        client.compact()
    else:
        client.ask({"claude": "/compact", "gemini": "/compress"}[client.name])
    turn = client.ask("Once more")
    since = Turn(client.place.hooked[before:], turn.asked)
    assert client.name == "gemini" or {"manual", "compact"} & {*compactions(since)}
    assert has_all(client, turn.asked[-1])
