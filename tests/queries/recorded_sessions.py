"""Sessions as each client records them: the same acts, in the shapes of their transcripts."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class RecordedSession(ABC):
    """A transcript that grows by acts. hour: of the day on which all is done."""

    SHOWS_TEXTS = True
    """Whether the transcript shows what hooks have told the model."""

    COMPACTS = True
    """Whether the transcript shows a compaction."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.records: list[Record] = []
        self.second = 0

    def at(self) -> str:
        """The next moment."""
        self.second += 1
        return f"2026-11-02T09:{self.second // 60:02d}:{self.second % 60:02d}.000Z"

    def save(self, path: Path) -> Path:
        """Writes the transcript."""
        path.write_text("".join(f"{json.dumps(record)}\n" for record in self.records))
        return path

    @abstractmethod
    def asks(self, prompt: str, told: str = "") -> None:
        """A prompt, and what the hook told with it."""

    @abstractmethod
    def runs(self, command: str) -> None:
        """A command of the agent."""

    @abstractmethod
    def writes(self, path: str, text: str) -> None:
        """A file that the agent writes as a whole."""

    def compacts(self) -> None:
        """A compaction."""
        raise NotImplementedError


class Claude(RecordedSession):
    def _put(self, kind: str, **fields: Any) -> None:
        common = {"uuid": f"u{self.second}", "sessionId": "s", "timestamp": self.at()}
        self.records.append({"type": kind, "isSidechain": False, **common, **fields})

    def asks(self, prompt: str, told: str = "") -> None:
        self._put("user", message={"role": "user", "content": prompt})
        if told:
            event = "UserPromptSubmit"
            attachment = {"type": "hook_additional_context", "content": [told], "hookEvent": event}
            self._put("attachment", attachment=attachment)

    def _uses(self, name: str, **given: str) -> None:
        part = {"type": "tool_use", "id": f"t{self.second}", "name": name, "input": given}
        message = {
            "model": "claude-sonnet-4-5",
            "content": [part],
            "usage": {"input_tokens": 9_000},
        }
        self._put("assistant", message=message)

    def runs(self, command: str) -> None:
        self._uses("Bash", command=command)

    def writes(self, path: str, text: str) -> None:
        self._uses("Write", file_path=str(self.root / path), content=text)

    def compacts(self) -> None:
        self._put("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})

    def is_refused(self, words: str) -> None:
        """The tool that was used last was not let happen."""
        used = self.records[-1]["message"]["content"][0]["id"]
        result = {"type": "tool_result", "tool_use_id": used, "is_error": True, "content": words}
        self._put("user", message={"role": "user", "content": [result]})


class Codex(RecordedSession):
    def _put(self, kind: str, **payload: Any) -> None:
        self.records.append({"timestamp": self.at(), "type": kind, "payload": payload})

    def asks(self, prompt: str, told: str = "") -> None:
        if not self.records:
            self._put("session_meta", id="s", cwd=str(self.root), instructions=None)
        content = [{"type": "input_text", "text": prompt}]
        self._put("response_item", type="message", role="user", content=content)
        self._put("event_msg", type="user_message", message=prompt)
        if told:
            part = [{"type": "input_text", "text": told}]
            self._put("response_item", type="message", role="developer", content=part)

    def runs(self, command: str) -> None:
        given = json.dumps({"command": ["bash", "-lc", command]})
        self._put("response_item", type="function_call", name="shell", arguments=given)

    def writes(self, path: str, text: str) -> None:
        patch = f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch"
        self._put("response_item", type="custom_tool_call", name="apply_patch", input=patch)

    def compacts(self) -> None:
        self._put("compacted", message="Summary")


class Gemini(RecordedSession):
    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.records.append({"sessionId": "s", "projectHash": "p", "startTime": self.at()})

    def _put(self, kind: str, content: Any, **fields: Any) -> None:
        record = {"id": f"m{self.second}", "timestamp": self.at(), "type": kind}
        self.records.append({**record, "content": content, **fields})

    def asks(self, prompt: str, told: str = "") -> None:
        parts = [{"text": prompt}]
        if told:
            escaped = told.replace("<", "&lt;").replace(">", "&gt;")
            parts.append({"text": f"<hook_context>{escaped}</hook_context>"})
        self._put("user", parts)

    def _uses(self, name: str, **given: str) -> None:
        call = {"id": f"c{self.second}", "name": name, "args": given, "status": "success"}
        self._put("gemini", "Done.", model="gemini-3-pro-preview", toolCalls=[call])

    def runs(self, command: str) -> None:
        self._uses("run_shell_command", command=command)

    def writes(self, path: str, text: str) -> None:
        self._uses("write_file", file_path=str(self.root / path), content=text)

    def compacts(self) -> None:
        words = "<state_snapshot>what was done</state_snapshot>"
        summary = {"id": "x", "timestamp": self.at(), "type": "user", "content": words}
        self.records.append({"$set": {"messages": [summary]}})


class Copilot(RecordedSession):
    def _put(self, kind: str, **data: Any) -> None:
        self.records.append(
            {"type": kind, "data": data, "id": f"e{self.second}", "timestamp": self.at()}
        )

    def asks(self, prompt: str, told: str = "") -> None:
        if not self.records:
            self._put("session.start", sessionId="s", copilotVersion="1.0.102")
        sent = f"{prompt}\n\n<system_reminder>\n{told}\n</system_reminder>" if told else prompt
        self._put("user.message", content=prompt, transformedContent=sent)

    def _uses(self, name: str, **given: str) -> None:
        call = f"c{self.second}"
        self._put("tool.execution_start", toolCallId=call, toolName=name, arguments=given)

    def runs(self, command: str) -> None:
        self._uses("bash", command=command)

    def writes(self, path: str, text: str) -> None:
        self._uses("create", path=str(self.root / path), file_text=text)

    def compacts(self) -> None:
        self._put("session.compaction_complete", success=True)


class VSCode(Copilot):
    """VS Code's own harness: the shape of Copilot's events, without what hooks add."""

    SHOWS_TEXTS = False
    COMPACTS = False

    def asks(self, prompt: str, told: str = "") -> None:
        super().asks(prompt)

    def runs(self, command: str) -> None:
        self._uses("run_in_terminal", command=command, explanation="Run it")

    def writes(self, path: str, text: str) -> None:
        self._uses("create_file", filePath=str(self.root / path), content=text)


class Cursor(RecordedSession):
    SHOWS_TEXTS = False
    COMPACTS = False

    def _put(self, role: str, part: Record) -> None:
        self.records.append({"role": role, "message": {"content": [part]}})

    def asks(self, prompt: str, told: str = "") -> None:
        self._put("user", {"type": "text", "text": f"<user_query>\n{prompt}\n</user_query>"})

    def _uses(self, name: str, **given: str) -> None:
        self._put("assistant", {"type": "tool_use", "name": name, "input": given})

    def runs(self, command: str) -> None:
        self._uses("Shell", command=command)

    def writes(self, path: str, text: str) -> None:
        self._uses("Write", path=str(self.root / path), contents=text)


class Antigravity(RecordedSession):
    SHOWS_TEXTS = False
    COMPACTS = False

    def _put(self, kind: str, source: str, content: str, **fields: Any) -> None:
        step = {"step_index": len(self.records), "type": kind, "source": source}
        self.records.append({**step, "content": content, "created_at": self.at(), **fields})

    def asks(self, prompt: str, told: str = "") -> None:
        self._put("USER_INPUT", "USER_EXPLICIT", f"<USER_REQUEST>{prompt}</USER_REQUEST>")

    def _uses(self, name: str, **given: str) -> None:
        calls = [{"name": name, "args": given}]
        self._put("PLANNER_RESPONSE", "MODEL", "Done.", tool_calls=calls)

    def runs(self, command: str) -> None:
        self._uses("run_command", CommandLine=command)

    def writes(self, path: str, text: str) -> None:
        self._uses("write_to_file", TargetFile=str(self.root / path), CodeContent=text)


CLIENTS = (Claude, Codex, Gemini, Copilot, VSCode, Cursor, Antigravity)
