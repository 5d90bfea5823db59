"""A hook that waits for something that does not come ends in time, with the reply that is due."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from synapse_ls.hooks import watchdog
from tests.syntax import PACKAGE
from tests.trees import TEAM, write_tree

PLUGINS = sorted(PACKAGE.glob("integrations/*/plugin.js"))

START = """
import sys
from synapse_ls.hooks import hook_command
{waiting}
hook_command.main(sys.argv[1:])
"""
SOON = """
hook_command.watch_seconds = lambda *_: 0.2
"""
READ_FOR_EVER = (
    SOON
    + """
import os, time
hook_command._read_input = lambda: os.read(os.pipe()[0], 1)
"""
)
JUDGE_FOR_EVER = """
import os
from synapse_ls.hooks.events import tool_before
tool_before._judge_event = lambda *_: os.read(os.pipe()[0], 1)
"""
MATCH_FOR_EVER = (
    SOON
    + """
import re
hook_command._read_input = lambda: re.match(r"(a+)+$", "a" * 60 + "b")
"""
)
BUSY = (
    SOON
    + """
def spin():
    while True:
        pass
hook_command._read_input = spin
"""
)
COMMAND = {
    "session_id": "s",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push"},
}


def run_hook(waiting: str, event: Mapping[str, object], *options: str) -> object:
    done = subprocess.run(
        [sys.executable, "-c", START.format(waiting=waiting), *options],
        input=json.dumps(event).encode(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "waiting",
    [
        READ_FOR_EVER,
        BUSY,
        pytest.param(
            MATCH_FOR_EVER,
            marks=pytest.mark.skipif(sys.platform == "win32", reason="a thread cannot end it"),
        ),
    ],
)
def test_a_hook_that_never_gets_on_says_nothing_in_time(waiting: str) -> None:
    assert run_hook(waiting, {}, "--event", "UserPromptSubmit", "--client", "claude") == {}


@pytest.mark.parametrize(("client", "verdict"), [("claude", "ask"), ("cline", "deny")])
def test_a_guard_that_never_gets_on_asks_where_it_enforces(
    tmp_path: Path, client: str, verdict: str
) -> None:
    config = '[guard]\nmode = "enforce"\n'
    root = write_tree(tmp_path / "tree", {**TEAM, ".synapse/config.toml": config})
    event = {**COMMAND, "cwd": str(root)}
    options = ("--event", "PreToolUse", "--client", client)
    run_hook("", event, *options)  # which makes the plan
    watched = "hook_command.watch_seconds = lambda *_: 2.0"
    reply = run_hook(f"{watched}\n{JUDGE_FOR_EVER}", event, *options)
    assert isinstance(reply, dict)
    assert reply["hookSpecificOutput"]["permissionDecision"] == verdict


def test_it_ends_before_any_client_gives_up() -> None:
    assert watchdog.watch_seconds("UserPromptSubmit", "claude") < 10
    assert watchdog.watch_seconds("SessionEnd", "codex") < 3


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.parent.name)
def test_a_verdict_comes_before_the_plugin_gives_up(plugin: Path) -> None:
    waits = re.search(r"MAX_SECONDS = ([\d.]+)", plugin.read_text(encoding="utf-8"))
    assert waits
    assert watchdog.watch_seconds("PreToolUse", plugin.parent.name) < float(waits[1])


@pytest.mark.skipif(sys.platform == "win32", reason="a thread cannot kill it")
def test_no_signal_kills_a_hook_that_is_done() -> None:
    start = START.format(waiting="hook_command.watch_seconds = lambda *_: 600.0")
    left = "import signal; print(signal.getitimer(signal.ITIMER_REAL)[0])"
    done = subprocess.run(
        [sys.executable, "-c", f"{start}print()\n{left}", "--event", "Stop", "--client", "claude"],
        input=b"{}",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == [b"{}", b"0.0"]
