"""``synapse/activation`` and ``synapse.activate``, and the step of the workflow in the status."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from synapse_ls.activation.agent_activation import TIMEOUT_VARIABLE
from synapse_ls.lsp.convert import path_to_uri
from tests.activation.crew import STATE, crew, repository, state
from tests.hooks.hook_clients import Claude
from tests.lsp.wire import connected
from tests.support import PATIENT_ACTIVATION


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(TIMEOUT_VARIABLE, PATIENT_ACTIVATION)
    tree = crew(tmp_path / "tree", **{STATE: state(2)})
    return repository(tree, "feat/login")


def begun(root: Path) -> Claude:
    client = Claude(root)
    client.now = time.time()
    client.prompt("hello there")
    return client


async def test_a_greeting_is_shown_and_nothing_changes(root: Path) -> None:
    client = begun(root)
    async with connected(root) as wire:
        told = await wire.request("synapse/activation", {"agent": "dev"})
        assert told["greeting"].startswith("🔧 Ines (Builder) is here — workflow active")
        assert (told["session"], told["recorded"], told["quality"]) == ("session-1", False, "full")
        assert told["project"]["branch"] == "feat/login"
        assert told["workflow"]["turn"] == "dev"
        assert told["workflow"]["location"]["range"]["start"]["line"] == 14
        assert told["agent"]["file"] == path_to_uri(
            str(root / ".aiox-core/development/agents/dev.md")
        )
        assert told["loaders"][1]["name"] == "definition"
    assert client.document()["active_agent"]["id"] is None


async def test_the_command_makes_the_agent_the_active_one(root: Path) -> None:
    client = begun(root)
    async with connected(root) as wire:
        told = await wire.request(
            "workspace/executeCommand",
            {
                "command": "synapse.activate",
                "arguments": [{"uri": path_to_uri(str(root)), "agent": "@qa"}],
            },
        )
        assert told["recorded"] is True
        status = await wire.request("synapse/status")
        assert status["agent"]["id"] == "qa"
    assert client.document()["active_agent"]["activation_quality"] == "full"


async def test_what_an_agent_says_is_no_link_in_a_message(root: Path) -> None:
    path = root / ".aiox-core/development/agents/dev.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("is here", "[x](command:y)"), encoding="utf-8")
    begun(root)
    async with connected(root) as wire:
        arguments = [{"uri": path_to_uri(str(root)), "agent": "dev"}]
        asked = {"command": "synapse.activate", "arguments": arguments}
        told = await wire.request("workspace/executeCommand", asked)
        assert "[x] (command:y)" in told["greeting"]
        (shown,) = wire.notifications("window/showMessage")
        assert "[x] (command:y)" in shown["message"]
        error = await wire.refusal("synapse/activation", {"agent": "[x](command:y)"})
        assert "[x] (command:y)" in error["message"]


async def test_a_new_session_is_greeted_as_one(root: Path) -> None:
    begun(root)
    async with connected(root) as wire:
        told = await wire.request("synapse/activation", {"agent": "dev", "session": ""})
        assert (told["occasion"], told["session"]) == ("new", None)


async def test_what_is_wrong_is_refused(root: Path) -> None:
    async with connected(root) as wire:
        error = await wire.refusal("synapse/activation", {"agent": "deev"})
        assert (
            error["message"]
            == 'There is no agent "deev". Did you mean dev? The tree has dev, ops, pm, po, qa.'
        )
        error = await wire.refusal("synapse/activation", {})
        assert (error["code"], "agent is missing" in error["message"]) == (-32602, True)
        error = await wire.refusal("synapse/activation", {"agent": "dev", "executor": "Robot"})
        assert error["code"] == -32602


async def test_the_status_says_where_the_work_is(root: Path) -> None:
    async with connected(root) as wire:
        navigation = (await wire.request("synapse/status"))["navigation"]
        assert navigation["where"] == "story-cycle: step 2 of 4, build, @dev: Build it"
        assert navigation["then"] == "review (@qa)"
        assert navigation["step"]["number"] == 2
        assert navigation["location"]["uri"] == path_to_uri(str(root / STATE))
