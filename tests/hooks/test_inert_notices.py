"""What a hook shows to the person steers no terminal, whatever the project's folder is called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations.client_registry import load_client
from synapse_ls.integrations.hook_event import PROMPT
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.storage import hook_log, trusted_trees
from synapse_ls.workspace.pinned_content import scan_content
from tests.trees import TEAM, write_tree

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="names that Windows has not"),
    pytest.mark.unregistered_events,  # a person may register any event that is known
]

NAME = "pro\x1b[31mject\x9b2J\u202e\nSynapse LS: all is well\r\x07"
HOSTS = [client for name in CLIENTS if (client := load_client(name))]
TOOL = {
    "tool_name": "Bash",
    "tool_input": {"command": "git push \x1b[2J\u202e\n--force"},
    "tool_response": {"stderr": "error: \x1b[2J"},
}


FOR_AGENTS = (
    "additionalContext",
    "additional_context",
    "agent_message",
    "message",
)  # the last is Kimi Code's


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return write_tree(tmp_path / NAME, {**TEAM, ".synapse/config.toml": "[guard]\nmode = 'warn'\n"})


def iter_replies(root: Path, situation: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields (client and event, reply) of every event that a client's hook is called for."""
    scope = "user" if situation == "untrusted" else "project"
    for host in HOSTS:
        for name in sorted(host.event_kinds, key=lambda name: host.event_kinds[name] != PROMPT):
            raw = {
                "session_id": f"{host.name}-{name}",
                "cwd": str(root),
                "prompt": "@dev go on",
                **TOOL,
            }
            if situation == "served":  # by an agent that was called before, and may not push
                raw["session_id"] = host.name
            raw |= {"conversation_id": raw["session_id"], "workspace_roots": [str(root)]}
            event = host.parse_event({**raw, "hook_event_name": name}, name)
            replies: list[dict[str, Any]] = []
            dispatch_event(event, host, replies.append, clock=lambda: 1.8e9, scope=scope)
            yield from ((f"{host.name} {name}", reply) for reply in replies)


def iter_shown(reply: Any, key: str = "") -> Iterator[str]:
    """Yields the texts of a reply that a person reads."""
    if isinstance(reply, dict):
        for name, value in reply.items():
            yield from iter_shown(value, name)
    elif isinstance(reply, str) and key not in FOR_AGENTS:
        yield reply


@pytest.mark.parametrize("situation", ["untrusted", "changed", "served"])
def test_nothing_that_a_hook_shows_steers_a_terminal(root: Path, situation: str) -> None:
    if situation == "changed":
        trusted_trees.write_pin(str(root), scan_content(str(root))[0], "enforce")
        (root / ".synapse/global").write_text("GLOBAL_RULE_0=x\n")
        (root / f".synapse/new{NAME[3:11]}").write_text("NEW_RULE_0=x\n")
    shown = [
        (place, text)
        for place, reply in iter_replies(root, situation)
        for text in iter_shown(reply)
    ]
    assert any("Synapse LS" in text for _, text in shown)
    assert [(place, text) for place, text in shown if not text.isprintable()] == []


def test_a_line_of_the_log_is_one_line(root: Path, tmp_path: Path) -> None:
    hook_log.log_line(f"{root}: the disk is full")
    (line,) = (tmp_path / "cache/hook.log").read_bytes().decode().splitlines()
    assert line.isprintable() and "the disk is full" in line


def test_no_agent_is_told_the_name_as_it_is(root: Path) -> None:
    told = [str(reply) for _, reply in iter_replies(root, "served")]
    assert [text for text in told if "\\x1b" in text or "\\u202e" in text or "\\x9b" in text] == []
