"""A hook that waits for something that does not come ends in time, with the reply that is due."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from synapse_ls.hooks import failed_reply, hook_timeout
from synapse_ls.storage import audit_log
from synapse_ls.workspace.user_folders import audit_folder
from tests.syntax import PACKAGE
from tests.trees import TEAM, write_tree

PLUGINS = sorted(PACKAGE.glob("integrations/*/plugin.js"))

START = """
import sys
from synapse_ls.hooks import hook_command, hook_timeout
{waiting}
hook_command.main(sys.argv[1:])
"""
SOON = """
hook_timeout.watch_seconds = lambda *_: 0.2
"""
READ_FOR_EVER = (
    SOON
    + """
import os, time
hook_command.read_input = lambda *_: os.read(os.pipe()[0], 1)
"""
)
JUDGE_FOR_EVER = """
import os
from synapse_ls.hooks import boundary_verdict
boundary_verdict.judge_event = lambda *_: os.read(os.pipe()[0], 1)
"""
HANG = """
import os
def hang(*_, **__):
    os.read(os.pipe()[0], 1)
"""
HANGING_PLACES = {
    "the-event-does-not-come": "hook_command.read_input = hang",
    "a-module-is-loaded": (
        "from importlib.machinery import SourceFileLoader\n"
        "load, names = SourceFileLoader.exec_module, ['synapse_ls.hooks.failed_reply']\n"
        "def load_once(loader, module):\n"
        "    if module.__name__ in names:\n"
        "        hang(names.remove(module.__name__))\n"
        "    load(loader, module)\n"
        "SourceFileLoader.exec_module = load_once\n"
        "hook_command.read_input = lambda *_: __import__('synapse_ls.hooks.failed_reply')"
    ),
    "the-pin-is-compared": (
        "from synapse_ls.hooks import event_dispatch\n"
        "from synapse_ls.storage import trusted_trees\n"
        "event_dispatch.has_pins_or_policies, trusted_trees.find_changes = lambda: True, hang"
    ),
    "the-plan-is-made": (
        "from synapse_ls.storage import tree_compilation\ntree_compilation.compile_tree = hang"
    ),
}
MATCH_FOR_EVER = (
    SOON
    + """
import re
hook_command.read_input = lambda *_: re.match(r"(a+)+$", "a" * 60 + "b")
"""
)
BUSY = (
    SOON
    + """
def spin(*_):
    while True:
        pass
hook_command.read_input = spin
"""
)
COMMAND = {
    "session_id": "s",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push"},
}


def run_hook(
    waiting: str, event: Mapping[str, object], *options: str, cwd: Path | None = None
) -> object:
    done = subprocess.run(
        [sys.executable, "-c", START.format(waiting=waiting), *options],
        input=json.dumps(event).encode(),
        capture_output=True,
        cwd=cwd,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def make_tree(root: Path, mode: str) -> Path:
    """A tree whose guard is set so, or says nothing of it."""
    config = f'[guard]\nmode = "{mode}"\n' if mode else ""
    return write_tree(root, {**TEAM, ".synapse/config.toml": config})


def judge(root: Path, waiting: str, client: str = "claude") -> str:
    """What a hook that is started before a push, and waits, has decided; "" where it says nothing."""
    options = ("--event", "PreToolUse", "--client", client)
    reply = run_hook(waiting, {**COMMAND, "cwd": str(root)}, *options, cwd=root)
    assert isinstance(reply, dict)
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", ""))


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
def test_a_hook_that_never_gets_on_says_nothing_in_time(waiting: str, tmp_path: Path) -> None:
    options = ("--event", "UserPromptSubmit", "--client", "claude")
    assert run_hook(waiting, {}, *options, cwd=tmp_path) == {}


@pytest.mark.parametrize("place", HANGING_PLACES)
def test_a_prompt_that_never_gets_its_rules_tells_the_person_so(tmp_path: Path, place: str) -> None:
    root = make_tree(tmp_path / "tree", "")
    event = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": str(root)}
    options = ("--event", "UserPromptSubmit", "--client", "claude")
    reply = run_hook(f"{SOON}{HANG}{HANGING_PLACES[place]}", event, *options, cwd=root)
    assert reply == {"systemMessage": failed_reply.LATE_NOTICE}


@pytest.mark.parametrize(("client", "verdict"), [("claude", "ask"), ("cline", "deny")])
def test_a_guard_that_never_gets_on_asks_where_it_enforces(
    tmp_path: Path, client: str, verdict: str
) -> None:
    root = make_tree(tmp_path / "tree", "enforce")
    judge(root, "", client)  # which makes the plan
    watched = "hook_timeout.watch_seconds = lambda *_: 2.0"
    assert judge(root, f"{watched}\n{JUDGE_FOR_EVER}", client) == verdict


def test_what_was_late_is_in_the_audit_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = make_tree(tmp_path / "tree", "enforce")
    write_tree(root, {".synapse/config.toml": "[guard]\nmode='enforce'\n[audit]\nenabled=true\n"})
    judge(root, "")
    watched = "hook_command.watch_seconds = lambda *_: 2.0"
    assert judge(root, f"{watched}\n{JUDGE_FOR_EVER}") == "ask"
    last = json.loads((Path(audit_folder()) / audit_log.NAME).read_text().splitlines()[-1])
    assert (last["decision"], last["client"]) == ("ask", "claude")
    assert last["reason"] == "The guard could not decide in time whether the agent may do this."


@pytest.mark.parametrize("place", HANGING_PLACES)
def test_so_does_one_that_has_never_seen_the_tree(tmp_path: Path, place: str) -> None:
    root = make_tree(tmp_path / "tree", "enforce")
    assert judge(root, f"{SOON}{HANG}{HANGING_PLACES[place]}") == "ask"


@pytest.mark.parametrize(
    ("mode", "place"),
    [
        *(("warn", place) for place in HANGING_PLACES),
        *((mode, "the-plan-is-made") for mode in ("off", "")),
    ],
)
def test_where_it_does_not_the_tool_is_used(tmp_path: Path, mode: str, place: str) -> None:
    root = make_tree(tmp_path / "tree", mode)
    assert judge(root, f"{SOON}{HANG}{HANGING_PLACES[place]}") == ""


@pytest.mark.parametrize(
    ("before", "now", "verdict"), [("warn", "enforce", "ask"), ("enforce", "warn", "")]
)
def test_the_mode_counts_that_is_set_now(
    tmp_path: Path, before: str, now: str, verdict: str
) -> None:
    root = make_tree(tmp_path / "tree", before)
    judge(root, "")  # which makes the plan
    make_tree(root, now)
    assert judge(root, f"{SOON}{HANG}{HANGING_PLACES['the-plan-is-made']}") == verdict


HALF_LOADED = """
import dataclasses, signal, sys
is_time_over, plain = False, dataclasses.dataclass
def dataclass(*given, **named):
    global is_time_over
    loaded = sys._getframe(1).f_globals["__name__"]
    if not is_time_over and loaded == "synapse_ls.formats.config_file":
        is_time_over = True
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        while signal.getitimer(signal.ITIMER_REAL)[0] <= 0.001:
            pass  # until it is put off
    return plain(*given, **named)
dataclasses.dataclass = dataclass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a thread waits for what is being loaded")
def test_nobody_is_asked_because_what_reads_the_mode_is_only_half_loaded(tmp_path: Path) -> None:
    watched = "hook_timeout.watch_seconds = lambda *_: 60.0"
    assert judge(make_tree(tmp_path / "tree", "warn"), f"{watched}{HALF_LOADED}") == ""


def test_it_ends_before_any_client_gives_up() -> None:
    assert hook_timeout.watch_seconds("UserPromptSubmit", "claude") < 10
    assert hook_timeout.watch_seconds("SessionEnd", "codex") < 3


@pytest.mark.parametrize(("age", "left"), [(0.5, 1.5), (60.0, 2.0)])
def test_what_a_process_took_to_start_is_not_there_to_wait(
    age: float, left: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_timeout, "process_age", lambda: age)
    assert hook_timeout.seconds_left(2.0) == left


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.parent.name)
def test_a_verdict_comes_before_the_plugin_gives_up(plugin: Path) -> None:
    waits = re.search(r"MAX_SECONDS = ([\d.]+)", plugin.read_text(encoding="utf-8"))
    assert waits
    assert hook_timeout.watch_seconds("PreToolUse", plugin.parent.name) < float(waits[1])


@pytest.mark.skipif(sys.platform == "win32", reason="a thread cannot kill it")
def test_no_signal_kills_a_hook_that_is_done() -> None:
    start = START.format(waiting="hook_timeout.watch_seconds = lambda *_: 600.0")
    left = "import signal; print(signal.getitimer(signal.ITIMER_REAL)[0])"
    done = subprocess.run(
        [sys.executable, "-c", f"{start}print()\n{left}", "--event", "Stop", "--client", "claude"],
        input=b"{}",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == [b"{}", b"0.0"]
