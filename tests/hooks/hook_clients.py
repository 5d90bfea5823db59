"""An agent client as seen from its hook: sends events, reads replies."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations import hook_event
from synapse_ls.integrations.claude import CLIENT as CLAUDE
from synapse_ls.integrations.hook_client import HookClient
from synapse_ls.integrations.hook_event import Event
from synapse_ls.integrations.transcript_tail import ON_BRANCH, Branch
from synapse_ls.text.digest import hash_text


class Claude:
    """A session of Claude Code, or of a client like it, in a tree, driven in this process with a clock of its own."""

    def __init__(self, root: Path, session: str = "session-1", host: HookClient = CLAUDE) -> None:
        self.root = root
        self.host = host
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
        dispatch_event(
            self.host.parse_event(raw, name), self.host, replies.append, clock=lambda: self.now
        )
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


class Scripted(HookClient):
    """A client whose every trait a test can set; it is its own host.

    takes: kinds of events whose replies reach the agent. figures: what it tells of usage. received: hashes of the texts that its
    transcript shows, None where it has none. shown: what the person was shown. spelled: its own names of events.
    """

    name = "scripted"

    def __init__(
        self, root: Path, *, keeps: bool = True, limit: int = 9_500, each_call: bool = False
    ) -> None:
        super().__init__()
        self.keeps_context, self.reply_limit, self.prompts_per_model_call = keeps, limit, each_call
        self.root = root
        self.session = "session-1"
        self.takes = {
            hook_event.PROMPT, hook_event.SESSION_START, hook_event.SUBAGENT_START, hook_event.TOOL,
        }  # fmt: skip
        self.context_events = self.takes
        self.figures: dict[str, object] | None = None
        self.received: set[str] | None = None
        self.shown: list[str] = []
        self.now = 1_800_000_000.0
        self.scope = ""
        self.spelled: dict[str, str] = {}

    def context_reply(self, event: Event, text: str) -> dict[str, Any]:
        return {"text": text} if text and event.kind in self.takes else {}

    def notice_reply(self, event: Event, text: str) -> dict[str, Any]:
        return {"person": text}

    def read_usage(self, event: Event) -> dict[str, object] | None:
        return self.figures

    @property
    def has_branches(self) -> bool:  # type: ignore[override]
        return self.received is not None

    def read_branch(
        self, event: Event, hashes: Collection[str], newest: str = "", turn: str = ""
    ) -> Branch | None:
        branch = Branch()
        branch.texts = [(told, "", ON_BRANCH) for told in hashes if told in (self.received or ())]
        branch.answered = "9999"
        return branch

    def send(self, kind: str, *, later: float = 60, **fields: Any) -> str:
        """The text that an event brings the agent, ``later`` seconds after the one before."""
        self.now += later
        event = Event(kind, self.spelled.get(kind, kind), {})
        event.session_id, event.cwd = self.session, str(self.root)
        for name, value in fields.items():
            setattr(event, name, value)
        replies: list[dict[str, Any]] = []
        dispatch_event(event, self, replies.append, scope=self.scope, clock=lambda: self.now)
        (reply,) = replies
        self.shown += [reply["person"]] if "person" in reply else []
        text: str = reply.get("text", "")
        return text

    def prompt(self, text: str = "go on", **fields: Any) -> str:
        """The text that comes with a prompt."""
        return self.send(hook_event.PROMPT, prompt=text, **fields)

    def tool(self, *files: str, **fields: Any) -> str:
        """The text that comes when a tool has used ``files``."""
        return self.send(hook_event.TOOL, files=files, **fields)

    def receive(self, text: str) -> None:
        """Have ``text`` stand in the transcript."""
        self.received = {*(self.received or ()), hash_text(text)}

    def document(self) -> dict[str, Any]:
        """The session as it is on disk."""
        path = self.root / ".synapse" / "sessions" / f"{self.session}.json"
        loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return loaded


def headings(text: str) -> list[str]:
    """The headings of a block."""
    return [line for line in text.splitlines() if line.startswith("[")]


def told(reply: dict[str, Any]) -> str:
    """The context in a reply; an empty object says nothing."""
    if not reply:
        return ""
    output = reply["hookSpecificOutput"]
    assert set(output) == {"hookEventName", "additionalContext"}
    context: str = output["additionalContext"]
    return context
