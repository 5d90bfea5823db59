"""A session whose file is damaged, held or cannot be written: said, told whole once, never a wrong agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import hook_call
from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations.claude import CLIENT as CLAUDE
from synapse_ls.storage.atomic_files import FileLock, StorageError
from tests.hooks.hook_clients import Claude, told
from tests.trees import TEAM, write_tree


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    made = Claude(write_tree(tmp_path / "team", TEAM))
    made.prompt("@dev go on")
    return made


def file_of(client: Claude) -> Path:
    return client.root / ".synapse/sessions/session-1.json"


def test_another_agent_by_a_damaged_byte_is_not_believed(client: Claude) -> None:
    file = file_of(client)
    file.write_bytes(file.read_bytes().replace(b'"dev"', b'"qa"'))
    reply = client.prompt("go on")
    assert "session-1.json is not as it was written: the session begins anew" in reply
    assert "[CONSTITUTION]" in reply and "[ACTIVE AGENT" not in reply
    assert client.prompt("and on") == ""


def test_what_another_program_wrote_is_taken_as_it_is(client: Claude) -> None:
    file = file_of(client)
    text = file.read_text("utf-8").replace('"dev"', '"qa"')
    file.write_text(text.rstrip("\n"), encoding="utf-8")
    assert "[ACTIVE AGENT: @qa]" in client.prompt("go on")


def test_the_file_of_another_session_is_not_believed(client: Claude) -> None:
    other = Claude(client.root, "session-2")
    other.prompt("@qa go on")
    file_of(client).write_bytes((file_of(client).parent / "session-2.json").read_bytes())
    reply = client.prompt("go on")
    assert "session-1.json is that of another session: the session begins anew" in reply
    assert "[CONSTITUTION]" in reply and "[ACTIVE AGENT" not in reply
    assert client.document()["uuid"] == "session-1"
    assert client.prompt("and on") == ""


def test_copies_of_unreadable_sessions_are_few(client: Claude) -> None:
    for number in range(8):
        file_of(client).write_bytes(b"?" * number)
        client.prompt(f"go on with {number}")
    kept = sorted(path.name for path in file_of(client).parent.glob("*.unreadable-*"))
    assert kept == [f"session-1.json.unreadable-{n}" for n in (6, 7, 8)]


def test_a_prompt_is_counted_once_others_let_go_of_the_session(
    client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_call, "LOCK_SECONDS", 0.0)
    lock = FileLock(str(file_of(client)), 0.0, within=str(client.root))
    replies: list[dict[str, Any]] = []

    def write(reply: dict[str, Any]) -> None:
        replies.append(reply)
        lock.__exit__(None, None, None)

    raw = {"session_id": "session-1", "cwd": str(client.root), "prompt": "@qa look at it"}
    lock.__enter__()
    dispatch_event(
        CLAUDE.parse_event(raw, "UserPromptSubmit"), CLAUDE, write, clock=lambda: client.now + 60
    )
    (reply,) = replies
    assert "holds for this prompt alone" in told(reply)
    assert client.document()["prompt_count"] == 2
    assert client.document()["active_agent"]["id"] == "dev"


def test_a_switch_that_cannot_be_stored_is_said_to_hold_for_one_prompt(
    client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StorageError("Cannot write the session: the disk is full.", "Free some space.", 28)

    monkeypatch.setattr("synapse_ls.storage.atomic_files.atomic_write", fail)
    replies: list[dict[str, Any]] = []
    raw = {"session_id": "session-1", "cwd": str(client.root), "prompt": "@qa look at it"}
    with pytest.raises(StorageError):
        dispatch_event(
            CLAUDE.parse_event(raw, "UserPromptSubmit"),
            CLAUDE,
            replies.append,
            clock=lambda: client.now + 60,
        )
    (reply,) = replies
    assert "[ACTIVE AGENT: @qa]" in told(reply)
    assert "the disk is full" in told(reply) and "holds for this prompt alone" in told(reply)
