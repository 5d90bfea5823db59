"""Where the guard enforces, a person is asked about what it could not judge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.storage import audit_log, plan_cache
from synapse_ls.workspace.user_folders import audit_folder
from tests.policies import place_user_policy
from tests.trees import TEAM, write_tree

START = """
import sys
from synapse_ls.hooks import hook_command
{breaking}
hook_command.main(sys.argv[1:])
"""
RAISE = """
def fail(*_, **__):
    raise {error}("broken")
"""
BROKEN_PLACES = {
    "judging": "from synapse_ls.hooks import boundary_verdict\nboundary_verdict.judge_event = fail",
    "reading-the-use": (
        "from synapse_ls.hooks.events import tool_before\ntool_before.announced_use = fail"
    ),
    "compiling": "from synapse_ls.hooks import hook_call\nhook_call.load_plan = fail",
    "reading-the-event": (
        "from synapse_ls.integrations import hook_event\nhook_event.read_event = fail"
    ),
    "reading-the-configuration": (
        "from synapse_ls.formats import config_file\nconfig_file.parse = fail\n"
        "from synapse_ls.hooks import hook_call\nhook_call.load_plan = fail"
    ),
}
OPTIONS = ("--event", "PreToolUse", "--client", "claude")


def run_hook(
    root: Path, breaking: str, data: bytes = b"", *options: str, folder: Path | None = None
) -> dict[str, Any]:
    event = {
        "session_id": "s",
        "cwd": str(root),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "git push"},
    }
    done = subprocess.run(
        [sys.executable, "-c", START.format(breaking=breaking), *(options or OPTIONS)],
        input=data or json.dumps(event).encode(),
        capture_output=True,
        cwd=folder or root,
        timeout=60,
        check=True,
    )
    reply = json.loads(done.stdout)
    assert isinstance(reply, dict)
    return reply


def make_tree(folder: Path, mode: str) -> Path:
    config = f'[guard]\nmode = "{mode}"\n'
    return write_tree(folder, {**TEAM, ".synapse/config.toml": config})


def decision(reply: dict[str, Any]) -> str:
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", ""))


def read_log() -> str:
    return (Path(plan_cache.cache_folder()) / "hook.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("place", BROKEN_PLACES)
@pytest.mark.parametrize("is_first", [True, False], ids=["no-plan-yet", "with-a-plan"])
def test_where_it_enforces_a_person_is_asked(place: str, is_first: bool, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree", "enforce")
    if not is_first:
        run_hook(root, "")
    breaking = RAISE.format(error="ZeroDivisionError") + BROKEN_PLACES[place]
    assert decision(run_hook(root, breaking)) == "ask"
    assert "a person is asked" in read_log()


@pytest.mark.parametrize(
    "module", ["formats.config_settings", "storage.trusted_trees", "workspace.pinned_content"]
)
def test_whatever_cannot_be_imported(module: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree", "enforce")
    breaking = f"sys.modules['synapse_ls.{module}'] = None\n"
    breaking += RAISE.format(error="ImportError") + BROKEN_PLACES["compiling"]
    assert decision(run_hook(root, breaking)) == "ask"


@pytest.mark.parametrize("error", ["MemoryError", "RecursionError", "SystemExit", "OSError"])
def test_whatever_was_raised(error: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree", "enforce")
    breaking = RAISE.format(error=error) + BROKEN_PLACES["judging"]
    assert decision(run_hook(root, breaking)) == "ask"


@pytest.mark.parametrize("mode", ["warn", "off"])
def test_elsewhere_the_tool_is_used(mode: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree", mode)
    breaking = RAISE.format(error="ZeroDivisionError") + BROKEN_PLACES["reading-the-use"]
    assert run_hook(root, breaking) == {}
    assert "ZeroDivisionError" in read_log()


@pytest.mark.parametrize(
    "data", [b"{", b'["git push"]', b"[" * 100_000], ids=["cut", "a-list", "too-deep"]
)
def test_an_event_that_cannot_be_read_is_asked_about(data: bytes, tmp_path: Path) -> None:
    assert decision(run_hook(make_tree(tmp_path / "a", "enforce"), "", data)) == "ask"
    assert run_hook(make_tree(tmp_path / "b", "warn"), "", data) == {}


def test_such_an_event_is_known_by_its_name(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree", "enforce")
    data = b'{"hook_event_name": "PreToolUse", "tool_input": {"command": ' + b"[" * 100_000
    assert decision(run_hook(root, "", data, "--client", "claude")) == "ask"
    limit = "hook_command.INPUT_LIMIT = 100"
    data = b'{"hook_event_name": "PreToolUse", "tool_name": "%s"}' % (b"x" * 100)
    assert decision(run_hook(root, limit, data, "--client", "claude")) == "ask"


def test_the_tree_of_such_an_event_is_that_of_its_folder(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree “x”", "enforce")
    head = json.dumps({"cwd": str(root), "hook_event_name": "PreToolUse"})[:-1].encode()
    data = head + b', "tool_input": {"n": ' + b"[" * 1_500 + b"]" * 1_500 + b"}}"
    reply = run_hook(root, "", data, "--client", "claude", folder=tmp_path)
    assert decision(reply) == "ask"


def test_a_hook_of_a_person_asks_in_trusted_trees_only(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree", "enforce")
    breaking = RAISE.format(error="ZeroDivisionError") + BROKEN_PLACES["judging"]
    scoped = (*OPTIONS, "--scope", "user")
    assert run_hook(root, breaking, b"", *scoped) == {}
    subprocess.run(
        [sys.executable, "-m", "synapse_ls", "trust", "--yes", str(root)],
        capture_output=True,
        check=True,
        env=dict(os.environ),
    )
    assert decision(run_hook(root, breaking, b"", *scoped)) == "ask"


def test_and_wherever_a_policy_has_the_guard_enforce(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_user_policy(monkeypatch, tmp_path / "etc", "[guard]\nmode = 'enforce'\n")
    root = make_tree(tmp_path / "tree", "warn")
    breaking = RAISE.format(error="ZeroDivisionError") + BROKEN_PLACES["judging"]
    assert decision(run_hook(root, breaking, b"", *OPTIONS, "--scope", "user")) == "ask"


def test_a_prompt_goes_on(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "tree", "enforce")
    breaking = RAISE.format(error="ZeroDivisionError") + BROKEN_PLACES["compiling"]
    prompt = json.dumps({"session_id": "s", "cwd": str(root), "prompt": "hello"}).encode()
    options = ("--event", "UserPromptSubmit", "--client", "claude")
    assert run_hook(root, breaking, prompt, *options) == {}


def test_a_verdict_that_failed_is_in_the_audit_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = make_tree(tmp_path / "tree", "enforce")
    (root / ".synapse/config.toml").write_text(
        "[guard]\nmode = 'enforce'\n[audit]\nenabled = true\n"
    )
    breaking = RAISE.format(error="ZeroDivisionError") + BROKEN_PLACES["judging"]
    assert decision(run_hook(root, breaking)) == "ask"
    (line,) = (Path(audit_folder()) / audit_log.NAME).read_text().splitlines()
    record = json.loads(line)
    assert (record["kind"], record["decision"], record["command"]) == ("verdict", "ask", "git push")
    assert record["reason"].startswith("The guard failed")
