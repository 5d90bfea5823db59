"""Every event of every client, as recorded: understood, and answered in the client's own dialect."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations import client_registry, hook_event
from tests.forked_programs import run_program
from tests.integrations.recorded import BLOCK, EVENTS, NAMES, Recorded, filled, recorded, told
from tests.trees import TEAM, write_tree

# What a client sees of a block in its reply; the brackets of the tags would reach Gemini escaped.
BEGINNING = {"gemini": "[SYNAPSE-RULES]\n"}


def run(case: Recorded, root: Path, home: Path) -> subprocess.CompletedProcess[bytes]:
    """The hook process that a client starts for ``case``, done."""
    return run_program(
        "hook",
        *case.arguments,
        stdin=json.dumps(case.stdin).encode(),
        cwd=root,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "SYNAPSE_LS_CACHE": str(home / "cache"),
            **case.environment,
        },
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_event_is_understood_and_answered(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = recorded(name, tmp_path / "app", tmp_path)
    write_tree(tmp_path / "app", case.files)
    for variable in ("COPILOT_HOME", "CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable, value in case.environment.items():
        monkeypatch.setenv(variable, value)
    assert (
        client_registry.detect_client(
            case.environment, case.stdin, case.options.get("--client", "")
        )
        == case.client
    )
    host = client_registry.load_client(case.client)
    assert host is not None
    event = host.parse_event(case.stdin, case.options.get("--event", ""))
    assert event.kind == case.kind
    found = {field: getattr(event, field) for field in case.event}
    assert {f: list(v) if isinstance(v, tuple) else v for f, v in found.items()} == case.event
    assert host.context_reply(event, BLOCK) == case.stdout
    assert host.context_reply(event, "") == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", EVENTS)
def test_the_installed_hook_answers_it(name: str, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "app", TEAM)
    (root / "src").mkdir()
    case = recorded(name, root, tmp_path)
    write_tree(root, case.files)
    done = run(case, root, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    log = tmp_path / "cache" / "hook.log"  # on a busy machine it says that something was late
    assert "Error" not in (log.read_text(encoding="utf-8") if log.exists() else "")
    reply = json.loads(done.stdout or b"{}")
    text = told(reply, case.stdout)
    host = client_registry.load_client(case.client)
    nothing = (host and host.empty_reply(case.kind)) or {}
    for field in ("systemMessage",) if case.kind == hook_event.TOOL_BEFORE else ():
        reply.pop(field, None)  # the person is told what the agent is told
    assert reply == (filled(case.stdout, {BLOCK: text}) if text else nothing)
    if case.kind == hook_event.PROMPT:
        assert text.startswith(BEGINNING.get(case.client, "<synapse-rules>\n"))


@pytest.mark.parametrize("client", client_registry.HOOK_CLIENTS)
def test_every_event_that_a_client_has_is_recorded(client: str, tmp_path: Path) -> None:
    host = client_registry.load_client(client)
    assert host is not None
    seen = set()
    for name in NAMES:
        if name.startswith(f"{client}{os.sep}"):
            case = recorded(name, tmp_path, tmp_path)
            seen.add(host.parse_event(case.stdin, case.options.get("--event", "")).name)
    assert set(host.event_kinds) <= seen


@pytest.mark.parametrize("order", [1, -1], ids=["github first", "claude first"])
def test_of_two_registrations_under_copilot_one_brings_the_block(
    order: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / "app", TEAM)
    names = ["copilot/userPromptSubmitted.json", "copilot/claude-UserPromptSubmit.json"]
    replies: list[dict[str, object]] = []
    for name in names[::order]:
        case = recorded(name, root, tmp_path)
        for variable, value in case.environment.items():
            monkeypatch.setenv(variable, value)
        host = client_registry.load_client(case.client)
        assert host is not None
        event = host.parse_event(case.stdin, case.options.get("--event", ""))
        dispatch_event(event, host, replies.append, clock=lambda: 1_800_000_000.0)
    assert [set(reply) for reply in replies] == [{"additionalContext"}, set()]
    (session,) = (root / ".synapse" / "sessions").glob("*.json")
    assert json.loads(session.read_text(encoding="utf-8"))["prompt_count"] == 1
