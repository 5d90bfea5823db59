"""What each client says before it uses a tool, and what it is answered: allow, ask, deny, warn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.integrations import client_registry, hook_event, tool_uses
from synapse_ls.integrations.hook_client import ALLOW, ASK, DENY
from tests.integrations.recorded import (
    BLOCK,
    NAMES,
    REASON,
    Recorded,
    filled,
    of_each_client,
    recorded,
    told,
)
from tests.integrations.test_events import run
from tests.trees import write_tree

ALL = [name for name in NAMES if recorded(name, Path("/r"), Path("/h")).use is not None]
COMMANDS = [
    name for name in ALL if (recorded(name, Path("/r"), Path("/h")).use or {}).get("command")
]
OWNED = {
    ".synapse/manifest": "AGENT_OPS_STATE=active\nAGENT_OPS_AGENT_TRIGGER=ops\n",
    ".synapse/agent-ops": "AGENT_OPS_AUTH_0=EXCLUSIVE: git push\n",
}


def boundary(use: dict[str, Any]) -> str:
    """A rule that forbids what an event is about."""
    if use["command"]:
        return "git push"
    verb, path = next(iter(use["files"]), ("tool", use["tool"]))
    return f"{verb} {path.rpartition('/app/')[2]}"


def forbidding(use: dict[str, Any], mode: str) -> dict[str, str]:
    return {
        ".synapse/config.toml": f"[guard]\nmode = '{mode}'\n",
        ".synapse/manifest": "GLOBAL_STATE=active\n",
        ".synapse/global": f"GLOBAL_DENY_0={boundary(use)} — ask @ops\n",
    }


def answered(name: str, files: dict[str, str], tmp_path: Path) -> tuple[Recorded, dict[str, Any]]:
    root = write_tree(tmp_path / "app", files)
    case = recorded(name, root, tmp_path)
    write_tree(root, case.files)
    done = run(case, root, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    log = tmp_path / "cache" / "hook.log"
    assert "Error" not in (log.read_text(encoding="utf-8") if log.exists() else "")
    return case, json.loads(done.stdout or b"{}")


def nothing(case: Recorded) -> dict[str, Any]:
    host = client_registry.load_client(case.client)
    return (host and host.empty_reply(case.kind)) or {}


@pytest.mark.parametrize("name", ALL)
def test_it_is_read_and_answered_in_the_dialect_of_the_client(name: str) -> None:
    case = recorded(name, Path("/r/app"), Path("/r"))
    host = client_registry.load_client(case.client)
    assert host is not None and case.use is not None
    event = host.parse_event(case.stdin, case.options.get("--event", ""))
    use = tool_uses.announced_use(event, "/r/app", host.folder_field)
    assert {
        "command": use.command,
        "files": [list(pair) for pair in use.files],
        "tool": use.tool,
        "folder": use.folder,
        "shell": use.shell,
    } == case.use
    assert host.decision_reply(event, ALLOW, REASON) == {}
    assert host.decision_reply(event, ASK, REASON) == case.ask
    assert host.decision_reply(event, DENY, REASON) == case.deny


@pytest.mark.slow
@pytest.mark.parametrize("name", of_each_client(ALL))
def test_what_nothing_forbids_is_left_to_the_client(name: str, tmp_path: Path) -> None:
    files = {**forbidding({"command": "x"}, "enforce"), ".synapse/global": "GLOBAL_DENY_0=make\n"}
    case, reply = answered(name, files, tmp_path)
    assert reply == nothing(case)


@pytest.mark.parametrize("name", ALL)
def test_what_is_forbidden_is_denied(name: str, tmp_path: Path) -> None:
    use = recorded(name, tmp_path / "app", tmp_path).use
    assert use is not None
    case, reply = answered(name, forbidding(use, "enforce"), tmp_path)
    reason = told(reply, {**(case.deny or {}), **_marked(case.deny)})
    assert reply == filled(case.deny, {REASON: reason})
    assert "GLOBAL_DENY_0 (.synapse/global:1)" in reason and "@ops" in reason


@pytest.mark.slow
@pytest.mark.parametrize("name", of_each_client(COMMANDS))
def test_what_a_person_has_to_say_is_asked(name: str, tmp_path: Path) -> None:
    files = {**OWNED, ".synapse/config.toml": "[guard]\nmode = 'enforce'\n"}
    case, reply = answered(name, files, tmp_path)
    assert set(reply) == set(case.ask or {})
    assert "leaves “git push” to @ops" in json.dumps(reply, ensure_ascii=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", of_each_client(ALL))
def test_a_warning_is_no_verdict(name: str, tmp_path: Path) -> None:
    use = recorded(name, tmp_path / "app", tmp_path).use
    assert use is not None
    case, reply = answered(name, forbidding(use, "warn"), tmp_path)
    text = told(reply, case.stdout)
    assert bool(text) == bool(case.stdout)
    if text:
        assert "GLOBAL_DENY_0" in text and "set to warn" in text
    shown = reply.pop("systemMessage", "")
    assert not text or not shown or shown == text
    assert reply == (filled(case.stdout, {BLOCK: text}) if text else nothing(case))


@pytest.mark.slow
@pytest.mark.parametrize("name", of_each_client(ALL))
def test_a_guard_that_is_off_says_nothing(name: str, tmp_path: Path) -> None:
    use = recorded(name, tmp_path / "app", tmp_path).use
    assert use is not None
    case, reply = answered(name, forbidding(use, "off"), tmp_path)
    assert reply == nothing(case)


@pytest.mark.slow
@pytest.mark.parametrize("name", of_each_client(ALL))
def test_without_a_tree_nothing_is_said(name: str, tmp_path: Path) -> None:
    case, reply = answered(name, {"README.md": ""}, tmp_path)
    assert reply == nothing(case)


def test_every_client_has_such_an_event() -> None:
    have = {Path(name).parts[0] for name in ALL}
    assert have == set(client_registry.HOOK_CLIENTS)
    for client in client_registry.HOOK_CLIENTS:
        host = client_registry.load_client(client)
        assert host is not None and hook_event.TOOL_BEFORE in host.event_kinds.values()


def _marked(reply: Any) -> Any:
    """A reply with the mark that `told` looks for in place of its reason."""
    return filled(reply, {REASON: BLOCK})


def test_a_tool_that_moves_a_file_reads_it_too() -> None:
    host = client_registry.load_client("claude")
    assert host is not None
    given = {"tool_name": "move_file", "tool_input": {"source": ".env", "destination": "x"}}
    use = tool_uses.announced_use(host.parse_event(given, "PreToolUse"), "/r/app")
    assert [*use.files] == [("read", ".env"), ("delete", ".env"), ("write", "x")]
