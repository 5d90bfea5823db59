"""What the doctor says of blocks that reached the model."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import doctor

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("forks"),
]


def prompted(process: Synapse, root: Path) -> str:
    """What VS Code's model was told with a prompt."""
    event = {"session_id": "chat-1", "cwd": str(root), "transcript_path": "", "prompt": "go on"}
    done = process(
        "hook", "--event", "UserPromptSubmit", "--client", "vscode", stdin=json.dumps(event)
    )
    return str(done.json["additionalContext"])


def reached(synapse: Synapse) -> dict[str, Any] | None:
    (patient,) = doctor(synapse, "--client", "vscode", "--runs", "0")["clients"]
    found: dict[str, Any] | None = patient["reached"]
    return found


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of VS Code's chat `chat-1`."""
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    base = "Library/Application Support" if sys.platform == "darwin" else ".config"
    folder = Path(os.environ["HOME"], base, "Code/User/workspaceStorage/0a1b/chatSessions")
    folder.mkdir(parents=True)
    return folder / "chat-1.jsonl"


def test_a_hook_that_was_only_called_is_said_to_answer(
    synapse: Synapse, process: Synapse, team: Path, chat: Path
) -> None:
    synapse("install", "--client", "vscode")
    prompted(process, team)
    assert reached(synapse) is None
    out = synapse("doctor", "--client", "vscode", "--runs", "0").out
    assert "the hook answers: " in out and "reached the model" not in out


def test_a_block_that_the_chat_shows_reached_the_model(
    synapse: Synapse, process: Synapse, team: Path, chat: Path
) -> None:
    synapse("install", "--client", "vscode")
    told = prompted(process, team)
    said = f"<context>\nAdditional instructions from hooks: {told}\n</context>"
    result = {"metadata": {"renderedUserMessage": [{"type": 1, "text": said}]}}
    record = {"kind": 1, "k": ["requests", 0, "result"], "v": result}
    chat.write_text(json.dumps(record, ensure_ascii=False) + "\n", "utf-8")
    found = reached(synapse)
    assert found is not None and found["place"] == "the chat's file"
    out = synapse("doctor", "--client", "vscode", "--runs", "0").out
    assert "seen     a block reached the model: the chat's file shows that of " in out


def test_a_chat_without_the_block_shows_nothing(
    synapse: Synapse, process: Synapse, team: Path, chat: Path
) -> None:
    synapse("install", "--client", "vscode")
    prompted(process, team)
    chat.write_text('{"kind": 0, "v": {"requests": []}}\n')
    assert reached(synapse) is None
