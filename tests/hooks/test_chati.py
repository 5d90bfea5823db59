"""A tree of Chati.dev in front of everybody who asks: hook, command line, editor, MCP, every client."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from synapse_ls.storage.current_plan import load_plan
from tests.chati_trees import BOARD
from tests.hooks.hook_clients import Claude
from tests.queries.test_same_bytes import Case, command_line, editor_panel, hook_of_claude, mcp_tool
from tests.trees import write_tree


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is being built, with its plan made."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "tree", BOARD)
    load_plan(str(root))
    return root


@pytest.mark.parametrize(
    "case",
    [
        Case("go on"),
        Case("go on", used=110_000),
        Case("go on", used=140_000),
        Case("go on", used=160_000),
        Case("go on", used=190_000),
        Case("go on", agent="brief"),
    ],
    ids=lambda case: f"{case.used} {case.agent}",
)
def test_everybody_gives_the_same_bytes(case: Case, board: Path) -> None:
    asked = [command_line, editor_panel, mcp_tool]
    if not case.agent:  # a prompt cannot name one silently
        asked.append(hook_of_claude)
    (text,) = {ask(board, case) for ask in asked}
    assert ElementTree.fromstring(text).tag == "chati-context"


def test_the_bracket_is_calculated_before_each_prompt(board: Path) -> None:
    client = Claude(board)
    for used, bracket in ((10_000, "FRESH"), (140_000, "DEPLETED"), (190_000, "CRITICAL")):
        client.uses(used)
        told = client.prompt(f"prompt at {used}")
        assert told.startswith(f'<chati-context bracket="{bracket}">')
        assert ElementTree.fromstring(told).get("bracket") == bracket
    assert 'required="true"' in told


def test_an_answer_of_ours_is_an_element(board: Path) -> None:
    told = Claude(board).prompt("*synapse status")
    answer = ElementTree.fromstring(told).find("synapse")
    assert answer is not None
    assert "chati" in "".join(answer.itertext())


def test_the_debug_view_is_an_element(board: Path) -> None:
    client = Claude(board)
    client.prompt("*synapse debug")
    told = client.prompt("what now?")
    assert ElementTree.fromstring(told).find("devmode") is not None


def scoped(root: Path, state: str, guard: str = "enforce", scope: str = "chati.dev/") -> Claude:
    """A client in a project whose planning mode writes in ``scope`` only."""
    session = BOARD[".chati/session.yaml"].replace("state: build", f"state: {state}")
    assert f"state: {state}" in session
    settings = f"[guard]\nmode = '{guard}'\n"
    files = {
        ".chati/session.yaml": session,
        ".synapse/config.toml": settings,
        "chati.dev/domains/global.yaml": BOARD["chati.dev/domains/global.yaml"].replace(
            'writeScope: "chati.dev/"', f'writeScope: "{scope}"'
        ),
    }
    client = Claude(write_tree(root, files))
    client.prompt("go on")
    return client


def decision(client: Claude, path: str = "", command: str = "") -> str:
    """What becomes of a file that is written, or of a command."""
    tool = {"tool_name": "Bash", "tool_input": {"command": command}}
    if path:
        tool = {"tool_name": "Write", "tool_input": {"file_path": str(client.root / path)}}
    reply = client.send("PreToolUse", **tool)
    said = reply.get("hookSpecificOutput", {}).get("permissionDecision", "")
    return said or ("warning" if reply else "allow")


def test_a_write_outside_the_scope_of_the_mode_is_denied(board: Path) -> None:
    client = scoped(board, "planning")
    assert decision(client, "src/app.ts") == "deny"
    assert decision(client, "chati.dev/../src/app.ts") == "deny"
    assert decision(client, command="echo x > src/app.ts") == "deny"
    assert decision(client, "chati.dev/artifacts/brief.md") == "allow"
    assert decision(client, ".chati/session.yaml") == "allow"
    assert decision(client, command="cat src/app.ts && npm test") == "allow"


def test_the_scope_is_that_of_the_mode_in_force(board: Path) -> None:
    client = scoped(board, "planning")
    assert decision(client, "src/app.ts") == "deny"
    scoped(board, "build")
    assert decision(client, "src/app.ts") == "allow"


def test_a_link_does_not_widen_the_scope(board: Path) -> None:
    client = scoped(board, "planning")
    (board / "src").mkdir()
    (board / "chati.dev/code").symlink_to(board / "src")
    assert decision(client, "chati.dev/code/app.ts") == "deny"


def test_several_places_may_be_a_scope(board: Path) -> None:
    client = scoped(board, "planning", scope="./chati.dev/, docs")
    assert decision(client, "docs/plan.md") == "allow"
    assert decision(client, "documents/plan.md") == "deny"


@pytest.mark.parametrize("scope", ["*", "**", "."])
def test_a_scope_of_everything_is_none(board: Path, scope: str) -> None:
    client = scoped(board, "planning", scope=scope)
    assert decision(client, "src/app.ts") == "allow"
    assert load_plan(str(board)).plan.guarded_actions == ()


def test_a_guard_that_warns_lets_it_be_written(board: Path) -> None:
    client = scoped(board, "planning", guard="warn")
    assert decision(client, "src/app.ts") == "warning"
    assert decision(scoped(board, "planning", guard="off"), "src/app.ts") == "allow"


def test_without_a_session_no_mode_is_in_force(board: Path) -> None:
    client = scoped(board, "planning")
    (board / ".chati/session.yaml").unlink()
    assert decision(client, "src/app.ts") == "allow"


def test_who_enforces_is_asked_before_the_scope_is_another(board: Path) -> None:
    client = scoped(board, "planning")
    assert decision(client, "chati.dev/domains/global.yaml") == "ask"
    assert decision(client, "chati.dev/agents/build/dev.md") == "ask"
    assert decision(client, command="rm -r .chati/memories") == "ask"
    assert decision(client, command="touch chati.dev/artifacts/brief.md .chati/notes.md") == "allow"


@pytest.mark.parametrize("broken", ["chati.dev/domains/global.yaml", ".chati/session.yaml"])
def test_a_file_that_breaks_does_not_lift_the_scope(board: Path, broken: str) -> None:
    client = scoped(board, "planning")
    (board / broken).write_text("a: [\n")
    client.prompt("go on")
    assert decision(client, "src/app.ts") == "deny"


@pytest.mark.parametrize("field", ["mode", "state", "current_agent", "current_task"])
def test_a_nul_in_the_session_silences_nothing(field: str, board: Path) -> None:
    path = board / ".chati/session.yaml"
    lines = [
        f'{line.partition(":")[0]}: "docs/a\\0b"' if line.strip().startswith(f"{field}:") else line
        for line in path.read_text("utf-8").splitlines()
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert "<chati-context" in Claude(board).prompt("go on")


def test_a_change_of_the_bracket_alone_is_told(board: Path) -> None:
    client = Claude(board)
    told = []
    for used in (10_000, 60_000, 90_000, 95_000):
        client.uses(used)
        told.append(client.prompt(f"prompt at {used}"))
    assert told[1:] == ["", '<chati-context bracket="MODERATE">\n</chati-context>', ""]
    client.uses(125_000)
    assert client.prompt("further").startswith('<chati-context bracket="DEPLETED">')
