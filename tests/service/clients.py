"""An agent client as seen from its hook: sends events, reads replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from synapse_ls.hosts import claude
from synapse_ls.service.deliver import deliver


class Claude:
    """A session of Claude Code in a tree, driven in this process with a clock of its own."""

    def __init__(self, root: Path, session: str = "session-1") -> None:
        self.root = root
        self.session = session
        self.now = 1_800_000_000.0
        self.transcript = root / "transcript.jsonl"

    def send(self, name: str, **fields: Any) -> dict[str, Any]:
        """The reply to an event."""
        self.now += 60
        replies: list[dict[str, Any]] = []
        raw = {
            "session_id": self.session,
            "cwd": str(self.root),
            "transcript_path": str(self.transcript) if self.transcript.exists() else "",
            "hook_event_name": name,
            **fields,
        }
        deliver(claude.parse(raw, name), claude, replies.append, now=lambda: self.now)
        (reply,) = replies
        return reply

    def prompt(self, text: str, **fields: Any) -> str:
        """The text that reaches the model with a prompt, "" for none."""
        return told(self.send("UserPromptSubmit", prompt=text, **fields))

    def uses(self, tokens: int, *, model: str = "claude-sonnet-4-5", side: bool = False) -> None:
        """Write a turn into the transcript that leaves ``tokens`` in the window."""
        usage = {
            "input_tokens": 3,
            "cache_creation_input_tokens": 1000,
            "cache_read_input_tokens": tokens - 1003,
            "output_tokens": 50,
        }
        self.write(
            {
                "type": "assistant",
                "isSidechain": side,
                "message": {"model": model, "usage": usage},
            }
        )

    def write(self, record: dict[str, Any]) -> None:
        """Add a line to the transcript."""
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def document(self) -> dict[str, Any]:
        """The session as it is on disk."""
        path = self.root / ".synapse" / "sessions" / f"{self.session}.json"
        loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return loaded


def told(reply: dict[str, Any]) -> str:
    """The context in a reply; an empty object says nothing."""
    if not reply:
        return ""
    output = reply["hookSpecificOutput"]
    assert set(output) == {"hookEventName", "additionalContext"}
    context: str = output["additionalContext"]
    return context
