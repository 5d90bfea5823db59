"""What ``synapse status`` says of the guard: what happens with what is registered."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.mcp import context_tools, resources
from synapse_ls.storage import trusted_trees
from synapse_ls.text.fast_json import loads
from tests.cli.conftest import Synapse

ENFORCED = '[guard]\nmode = "enforce"\n'


@pytest.fixture(autouse=True)
def quiet(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A computer on which no client is installed, and nothing is trusted."""
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    for client in CLIENTS.values():
        for name in (*client.variables, client.user_folder.variable):
            monkeypatch.delenv(name or "-", raising=False)


@pytest.fixture
def enforced(team: Path) -> Path:
    """The tree of a team whose guard is set to enforce."""
    (team / ".synapse/config.toml").write_text(ENFORCED, "utf-8")
    return team


def guard_line(synapse: Synapse) -> str:
    """What status says of the guard."""
    (line,) = [one for one in synapse("status").out.splitlines() if one.startswith("guard ")]
    return line.removeprefix("guard").strip()


def test_where_no_client_is_registered_nobody_is_said_to_be_stopped(
    synapse: Synapse, enforced: Path
) -> None:
    assert guard_line(synapse) == "set to enforce, but no registered client asks it"


def test_where_no_client_is_registered_nobody_is_said_to_be_told(
    synapse: Synapse, team: Path
) -> None:
    assert guard_line(synapse) == "set to warn, but no registered client asks it"


def test_a_guard_that_is_off_is_off_whoever_asks(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/config.toml").write_text('[guard]\nmode = "off"\n', "utf-8")
    synapse("install", "--client", "claude", "--guard")
    assert guard_line(synapse) == "off: nothing is asked or reported"


def test_it_enforces_where_every_client_asks_it(synapse: Synapse, enforced: Path) -> None:
    synapse("install", "--client", "claude,cursor,copilot")
    assert guard_line(synapse) == "enforces: an agent is stopped where it may not do something"


def test_a_client_that_cannot_ask_it_is_named(synapse: Synapse, enforced: Path) -> None:
    synapse("install", "--client", "antigravity")
    assert guard_line(synapse) == "set to enforce, but nobody is stopped: Antigravity cannot ask it"


def test_a_client_that_does_not_ask_it_is_named(synapse: Synapse, enforced: Path) -> None:
    synapse("install", "--client", "claude", "--no-guard")
    assert (
        guard_line(synapse) == "set to enforce, but nobody is stopped: Claude Code does not ask it"
    )


def test_nobody_is_said_to_be_warned_where_no_client_asks_it(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--no-guard")
    assert guard_line(synapse) == "set to warn, but nobody is warned: Claude Code does not ask it"


def test_who_asks_it_is_told_from_who_does_not(synapse: Synapse, enforced: Path) -> None:
    synapse("install", "--client", "claude,antigravity")
    synapse("install", "--client", "codex,gemini", "--no-guard")
    assert guard_line(synapse) == (
        "enforces in Claude Code: an agent is stopped where it may not do something; "
        "Codex and Gemini CLI do not ask it; Antigravity cannot ask it"
    )


def test_one_of_several_scopes_is_enough(synapse: Synapse, enforced: Path) -> None:
    synapse("install", "--client", "claude", "--no-guard")
    synapse("install", "--client", "claude", "--scope", "local")
    assert guard_line(synapse).startswith("enforces: ")


def test_a_client_that_asks_about_some_tools_only_is_named(
    synapse: Synapse, enforced: Path
) -> None:
    synapse("install", "--client", "cursor")
    file = enforced / ".cursor/hooks.json"
    settings = loads(file.read_text("utf-8"))
    del settings["hooks"]["preToolUse"]
    file.write_text(str(settings).replace("'", '"'), "utf-8")
    assert guard_line(synapse) == (
        "enforces in Cursor: an agent is stopped where it may not do something; "
        "Cursor asks it only about some tools"
    )


def test_the_hook_of_a_user_asks_it_about_trusted_trees_only(
    synapse: Synapse, enforced: Path
) -> None:
    synapse("install", "--client", "claude", "--scope", "user")
    assert guard_line(synapse) == (
        "set to enforce, but nobody is stopped: Claude Code asks it once this tree is trusted "
        "(`synapse trust`)"
    )
    trusted_trees.trust_tree(str(enforced))
    assert guard_line(synapse).startswith("enforces: ")


def test_json_says_of_each_client_whether_it_asks(synapse: Synapse, enforced: Path) -> None:
    synapse("install", "--client", "claude,antigravity")
    synapse("install", "--client", "codex", "--no-guard")
    report = synapse("status", "--format", "json").json
    assert report["guard"] == "enforce"
    assert report["guard_effect"] == guard_line(synapse)
    assert report["guard_clients"] == [
        {"client": "claude", "asks": "yes"},
        {"client": "codex", "asks": "no"},
        {"client": "antigravity", "asks": "cannot"},
    ]


def test_mcp_says_the_same(synapse: Synapse, enforced: Path) -> None:
    synapse("install", "--client", "antigravity")
    said = "set to enforce, but nobody is stopped: Antigravity cannot ask it"
    result = context_tools.run_status.run(str(enforced), {})
    resource = loads(resources.StatusResource().read(str(enforced), "") or "")
    assert result.data is not None
    assert result.data.guard_effect == resource["guard_effect"] == said
    assert f"guard: {said}" in result.text.splitlines()
