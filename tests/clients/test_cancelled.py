"""What a person takes back in a terminal: the next request to the model has every rule that applies,
once, and nothing says that it has more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.claude import Claude
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.terminal import Terminal
from tests.trees import TEAM

DEV, QA = "[ACTIVE AGENT: @dev]", "[ACTIVE AGENT: @qa]"
WITHDRAWN = "@dev's rules no longer apply"
GLOBAL = "Write small functions"


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[Claude]:
    with Model() as model:
        client = client_of("claude", Place(tmp_path, model, TEAM))
        assert isinstance(client, Claude)
        client.place.synapse("install", "--client", "claude", "--scope", "project")
        yield client


@pytest.fixture
def terminal(claude: Claude) -> Iterator[Terminal]:
    with claude.open_terminal() as window:
        yield window


def read(claude: Claude) -> str:
    """What the model was sent last."""
    return claude.place.model.turns[-1].text


def test_a_first_prompt_that_is_stopped_with_esc(claude: Claude, terminal: Terminal) -> None:
    claude.cancel(terminal, "@dev add a helpr")
    claude.converse(terminal, "@dev add a helper")
    assert read(claude).count(DEV) == read(claude).count(GLOBAL) == 1
    claude.converse(terminal, "go on")
    assert read(claude).count(DEV) == read(claude).count(GLOBAL) == 1
    said = claude.place.synapse("log")
    assert said.count("· cancelled") == said.count("· arrived") == 1


def test_a_switch_of_agents_that_is_stopped_with_esc(claude: Claude, terminal: Terminal) -> None:
    claude.converse(terminal, "@dev begin")
    claude.cancel(terminal, "@qa look")
    claude.converse(terminal, "@qa look at it")
    claude.converse(terminal, "go on")
    assert read(claude).count(QA) == read(claude).count(WITHDRAWN) == 1
    assert claude.place.synapse("log").count("· cancelled") == 1


def test_a_rewind(claude: Claude, terminal: Terminal) -> None:
    claude.converse(terminal, "@dev begin")
    claude.converse(terminal, "@qa look")
    claude.converse(terminal, "more")
    claude.rewind(terminal, "@qa look", 2)
    tool, arguments = claude.tool()
    claude.place.model.will_call(tool, **arguments)
    turn = claude.converse(terminal, "test it")
    # Nothing shows a rewind before the prompt that follows it; its first tool brings the rules.
    assert QA not in turn.asked[0].text
    assert turn.asked[-1].text.count(QA) == turn.asked[-1].text.count(WITHDRAWN) == 1
    claude.converse(terminal, "go on")
    assert read(claude).count(QA) == read(claude).count(WITHDRAWN) == 1
    assert read(claude).count(GLOBAL) == 1


def test_a_prompt_that_was_cancelled_stands_in_a_session_that_goes_on(claude: Claude) -> None:
    with claude.open_terminal() as terminal:
        claude.cancel(terminal, "@dev add a helpr")
    with claude.open_terminal("--continue") as terminal:
        claude.converse(terminal, "@dev add a helper")
        assert read(claude).count(DEV) == read(claude).count(GLOBAL) == 1
    assert "cancelled" not in claude.place.synapse("log")


def test_a_rewind_to_before_a_compaction(claude: Claude, terminal: Terminal) -> None:
    claude.converse(terminal, "@dev begin")
    claude.converse(terminal, "@qa look")
    claude.converse(terminal, "more")
    claude.compact(terminal)
    claude.converse(terminal, "after it")
    assert read(claude).count(QA) == 1 and DEV not in read(claude)
    claude.rewind(terminal, "more", 3)
    tool, arguments = claude.tool()
    claude.place.model.will_call(tool, **arguments)
    claude.converse(terminal, "test it")
    assert read(claude).count(QA) == read(claude).count(WITHDRAWN) == 1
    assert read(claude).count(GLOBAL) == 1
