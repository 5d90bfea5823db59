"""A session of Claude Code: real hook processes, and the transcript that the client would write."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks.digest_worker import make_digest
from synapse_ls.storage.session_store import format_timestamp
from tests.forked_programs import run_program

INJECTED = ("UserPromptSubmit", "SessionStart", "PostToolUse")


class Session:
    """One terminal. number: of the records of its transcript. newest: id of the message that the next
    one follows; records: all of them, those that were taken back included.
    """

    def __init__(self, root: Path, name: str, *, used: int = 9_000) -> None:
        self.root = root
        self.name = name
        self.used = used
        self.number = 0
        self.newest: str | None = None
        self.records: dict[str, dict[str, Any]] = {}
        self.transcript = root.parent / "transcripts" / f"{name}.jsonl"
        self.transcript.parent.mkdir(exist_ok=True)

    # What the client does

    def event(self, name: str, **fields: object) -> str:
        """Call the hook; the text that reaches the model, "" for none."""
        raw = {
            "session_id": self.name,
            "transcript_path": str(self.transcript),
            "cwd": str(self.root),
            "permission_mode": "default",
            "hook_event_name": name,
            **fields,
        }
        reply = self.call_hook(name, raw)
        text = reply.get("hookSpecificOutput", {}).get("additionalContext", "")
        if name == "UserPromptSubmit":
            self.write(
                type="user",
                message={"role": "user", "content": fields["prompt"]},
                promptId=fields.get("prompt_id", ""),
            )
        if text and name in INJECTED:
            attachment = {
                "type": "hook_additional_context",
                "content": [text],
                "hookName": name,
                "hookEvent": name,
            }
            self.write(type="attachment", attachment=attachment)
        return str(text)

    def call_hook(self, name: str, raw: dict[str, Any]) -> dict[str, Any]:
        """Start the hook; its reply."""
        done = run_program(
            *("hook", "--client", "claude", "--event", name),
            stdin=json.dumps(raw).encode(),
            cwd=self.root,
            env={
                **os.environ,
                "SYNAPSE_LS_CACHE": str(self.root.parent / "cache"),
                "CLAUDECODE": "1",
                "CLAUDE_PROJECT_DIR": str(self.root),
            },
        )
        done.check_returncode()
        assert done.stderr == b""
        reply: dict[str, Any] = json.loads(done.stdout or b"{}")
        return reply

    def start(self, source: str = "startup") -> str:
        return self.event("SessionStart", source=source)

    def ask(self, prompt: str, reply: str = "Done.", *parts: dict[str, Any]) -> str:
        """A prompt, its block, and the answer of the model."""
        told = self.types(prompt)
        self.answer(reply, *parts)
        return told

    def types(self, prompt: str) -> str:
        """A prompt and its block; the model has not answered yet."""
        return self.event("UserPromptSubmit", prompt=prompt, source="user", prompt_id=prompt)

    def takes_back(self, prompt: str) -> None:
        """Esc before the first answer, or a rewind: the history ends before this prompt."""
        (record,) = [
            r
            for r in self.records.values()
            if r["type"] == "user" and r["message"]["content"] == prompt
        ]
        self.newest = record["parentUuid"]

    @property
    def window(self) -> str:
        """What hooks have added to the messages that the model reads, in their order."""
        texts: list[str] = []
        newest = self.newest
        while newest:
            record = self.records[newest]
            texts += record.get("attachment", {}).get("content", [])
            newest = record["parentUuid"]
        return "\n".join(reversed(texts))

    def answer(self, reply: str, *parts: dict[str, Any]) -> None:
        self.used += 4_000
        usage = {
            "input_tokens": 3,
            "cache_creation_input_tokens": 1_000,
            "cache_read_input_tokens": self.used - 1_003,
            "output_tokens": 80,
        }
        content = [{"type": "text", "text": reply}, *parts]
        message = {"model": "claude-sonnet-4-5-20250929", "content": content, "usage": usage}
        self.write(type="assistant", message=message)

    def runs(self, command: str, *, error: str = "", call: str = "t", prompt: str = "") -> str:
        """A command that the model runs, and what becomes of it."""
        identity = f"{call}{self.number}"
        given = {"command": command}
        use = {"type": "tool_use", "id": identity, "name": "Bash", "input": given}
        self.answer("Running it.", use)
        result: dict[str, object] = {
            "type": "tool_result",
            "tool_use_id": identity,
            "content": error or "ok",
        }
        if error:
            result["is_error"] = True
        self.write(type="user", message={"role": "user", "content": [result]})
        fields: dict[str, object] = {
            "tool_name": "Bash",
            "tool_input": given,
            "prompt_id": prompt,
        }
        if error:
            return self.event("PostToolUseFailure", **fields, error=error, is_interrupt=False)
        return self.event("PostToolUse", **fields, tool_response={"stdout": "ok", "stderr": ""})

    def edits(self, path: str) -> str:
        """A file that the model changes."""
        given = {"file_path": str(self.root / path), "old_string": "a", "new_string": "b"}
        use = {"type": "tool_use", "id": f"e{self.number}", "name": "Edit", "input": given}
        self.answer("Editing.", use)
        return self.event("PostToolUse", tool_name="Edit", tool_input=given, tool_response={})

    def compacts(self, summary: str = "What was said so far, in short.") -> str:
        """A compaction, from its announcement to the block that is told again."""
        self.event("PreCompact", trigger="auto", custom_instructions="")
        self.newest = None
        self.write(type="system", subtype="compact_boundary")
        self.write(type="user", isCompactSummary=True, message={"role": "user", "content": summary})
        self.used = 12_000
        for words in (
            "<command-name>/compact</command-name>",
            "<local-command-stdout>Compacted</local-command-stdout>",
        ):
            self.write(type="user", message={"role": "user", "content": words})
        return self.start("compact")

    def ends(self) -> None:
        """The end of the session, and of the process that makes its digest, whoever that is."""
        self.event("SessionEnd", reason="prompt_input_exit")
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("SYNAPSE_LS_CACHE", str(self.root.parent / "cache"))
            make_digest(str(self.root), self.name, now=time.time(), lock_seconds=60)

    # What is seen afterwards

    def document(self) -> dict[str, Any]:
        path = self.root / ".synapse" / "sessions" / f"{self.name}.json"
        loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return loaded

    def write(self, **record: object) -> None:
        """Add a record to the transcript."""
        self.number += 1
        known = {
            "uuid": f"{self.name}-{self.number}",
            "sessionId": self.name,
            "isSidechain": False,
            "timestamp": format_timestamp(time.time()),
        }
        # The client writes compact JSON that begins with what a record follows.
        written = {"parentUuid": self.newest, **record, **known}
        self.newest = str(known["uuid"])
        self.records[self.newest] = written
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(written, separators=(",", ":")) + "\n")
