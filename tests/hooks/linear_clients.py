"""Sessions of clients whose files hold the live conversation in its order: the hook is called in
this process, and the files are written as the clients write them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations import client_registry
from synapse_ls.storage.session_store import format_timestamp

Record = dict[str, Any]


class LinearClient:
    """One session, a minute from event to event. messages: those of the live conversation, each with
    the text of a hook in it or "". number: of the records so far.
    """

    def __init__(self, name: str, root: Path, folder: Path, session: str = "chat-1") -> None:
        self.root = root
        self.folder = folder
        self.session = session
        self.messages: list[tuple[Record, str]] = []
        self.number = 0
        self.now = 1_790_000_000.0
        self.host = client_registry.load_client(name)
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def transcript(self) -> Path:
        raise NotImplementedError

    @property
    def window(self) -> str:
        """What hooks have added to the messages that the model reads, in their order."""
        return "\n".join(text for _, text in self.messages if text)

    def types(self, prompt: str) -> str:
        """A prompt, which the model has not answered yet; the text that comes with it."""
        raise NotImplementedError

    def answer(self) -> None:
        raise NotImplementedError

    def takes_back(self, prompt: str) -> None:
        """What the person does in this client; the conversation ends before the prompt then."""
        raise NotImplementedError

    def ask(self, prompt: str) -> str:
        text = self.types(prompt)
        self.answer()
        return text

    def send(self, event: str, **fields: object) -> str:
        """Call the hook; its text for the model."""
        raw = {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.root),
            "hook_event_name": event,
            **fields,
        }
        assert self.host is not None
        replies: list[Record] = []
        self.now += 60
        parsed = self.host.parse_event(raw, event)
        dispatch_event(parsed, self.host, replies.append, clock=lambda: self.now)
        (reply,) = replies
        return str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def time(self) -> str:
        """When the next record is written."""
        self.number += 1
        return format_timestamp(self.now + self.number / 1000)

    def write(self, record: Record) -> None:
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def add(self, record: Record, text: str = "") -> None:
        """Write a message of the conversation. text: that of a hook in it."""
        self.messages.append((record, text))
        self.write(record)


class Gemini(LinearClient):
    """Gemini CLI."""

    def __init__(self, root: Path, folder: Path) -> None:
        super().__init__("gemini", root, folder / "chats")
        self.process = 0
        self.names_own_file = False
        self.write({"sessionId": self.session, "projectHash": "x", "kind": "main"})
        self.add(self.message("user", "<session_context>\nThis is the Gemini CLI."))

    @property
    def transcript(self) -> Path:
        return self.folder / f"session-2026-11-29T10-0{self.process}-chat1.jsonl"

    def resume(self) -> None:
        """Another process, which begins a file of its own until it has read the session."""
        self.process = 1
        self.begin()
        self.send("SessionStart", source="resume")
        self.process = 0

    def resume_with_prompt(self) -> None:
        """Another process, which reads the session while the hook is called for a prompt."""
        self.resume()
        self.rewrite()
        later = self.transcript.stat().st_mtime + 1
        os.utime(self.transcript, (later, later))
        self.names_own_file = True

    def resume_too_late(self) -> None:
        """Another process, which takes the next prompt before it has read the session."""
        self.resume()
        self.process = 1
        self.messages.clear()

    def resume_too_late_within_the_minute(self) -> None:
        """The same, where the file of both has the same name."""
        self.begin()
        self.messages.clear()

    def begin(self) -> None:
        """Write what a process does as it begins."""
        self.write({"sessionId": self.session, "projectHash": "x", "kind": "main"})
        begun = self.message("user", "<session_context>\nThis is the Gemini CLI.")
        self.write({"$set": {"messages": [begun]}})

    def resume_within_the_minute(self) -> None:
        """Another process, whose file has the same name: it writes the history behind the other's,
        with the time of now for each message.
        """
        time = self.time()
        self.write({"sessionId": self.session, "projectHash": "x", "kind": "main"})
        begun = self.message("user", "<session_context>\nThis is the Gemini CLI.")
        self.messages = [(message | {"timestamp": time}, text) for message, text in self.messages]
        self.messages[0] = begun, ""
        self.rewrite()
        self.send("SessionStart", source="resume")

    def message(self, kind: str, content: object, **more: object) -> Record:
        time = self.time()
        return {
            "id": f"m{self.number}",
            "timestamp": time,
            "type": kind,
            "content": content,
            **more,
        }

    def types(self, prompt: str) -> str:
        self.process += self.names_own_file
        text = self.send("BeforeAgent", prompt=prompt)
        self.process -= self.names_own_file
        self.names_own_file = False
        hook = [{"text": f"<hook_context>{text}</hook_context>"}] if text else []
        self.add(self.message("user", [{"text": prompt}, *hook]), text)
        return text

    def answer(self, used: int = 9_000) -> None:
        self.add(self.message("gemini", "Done.", tokens={"input": used}))

    def tool(self) -> str:
        """A file that the model reads."""
        self.add(self.message("gemini", "", toolCalls=[]))
        text = self.send("AfterTool", tool_name="read_file", tool_input={"file_path": "x.py"})
        output = f"x\n\n<hook_context>{text}</hook_context>" if text else "x"
        part = {"functionResponse": {"id": "c", "response": {"output": output}}}
        self.add(self.message("user", [part]), text)
        return text

    def takes_back(self, prompt: str) -> None:
        """Esc in the turn of a prompt, or a rewind to it: the client writes what is left."""
        start = next(
            place
            for place, (message, _) in enumerate(self.messages)
            if isinstance(message["content"], list) and message["content"][0].get("text") == prompt
        )
        self.messages = self.messages[:start]
        self.rewrite()

    def compress(self, name: str, keep: int = 0) -> None:
        """A summary takes the place of all but the last ``keep`` messages."""
        summary = "<state_snapshot>So far.</state_snapshot>"
        start = [self.message("user", summary), self.message("gemini", "Ok.")]
        start[0]["id"] = name
        kept = self.messages[-keep:] if keep else []
        self.messages = [*((message, "") for message in start), *kept]
        self.rewrite()

    def rewrite(self) -> None:
        self.write({"$set": {"messages": [message for message, _ in self.messages]}})


class Codex(LinearClient):
    """Codex, with a rollout file for each branch."""

    def __init__(self, root: Path, folder: Path, session: str = "one") -> None:
        super().__init__("codex", root, folder / "sessions/2026/11/29", session)
        self.files = [session]
        # prompt -> the file and byte where it begins, and the messages before it
        self.ends: dict[str, tuple[str, int]] = {}
        self.before: dict[str, list[tuple[Record, str]]] = {}
        self.add(self.message("user", "<environment_context>"))

    @property
    def transcript(self) -> Path:
        return self.folder / f"rollout-2026-11-29T10-00-00-{self.files[-1]}.jsonl"

    @property
    def end(self) -> tuple[str, int]:
        """Where the conversation ends: the file, as others name it, and the byte."""
        return self.files[-1].rpartition("_")[2], self.transcript.stat().st_size

    def record(self, kind: str, **payload: object) -> Record:
        return {"timestamp": self.time(), "type": kind, "payload": payload}

    def message(self, role: str, text: str) -> Record:
        content = [{"type": "input_text", "text": text}]
        return self.record(
            "response_item", type="message", id=f"m{self.number}", role=role, content=content
        )

    def start(self, source: str = "startup") -> None:
        self.send("SessionStart", source=source)

    def types(self, prompt: str) -> str:
        self.ends[prompt], self.before[prompt] = self.end, list(self.messages)
        text = self.send("UserPromptSubmit", prompt=prompt, turn_id=f"turn {prompt}")
        self.add(self.message("user", prompt))
        if text:
            self.add(self.message("developer", text), text)
        return text

    def answer(self) -> None:
        self.add(self.message("assistant", "Done."))

    def tool(self, prompt: str) -> str:
        self.add(self.record("response_item", type="function_call", name="exec_command"))
        text = self.send(
            "PostToolUse",
            turn_id=f"turn {prompt}",
            tool_name="Bash",
            tool_input={"command": "cat x"},
            tool_response="x",
        )
        if text:
            self.add(self.message("developer", text), text)
        return text

    def takes_back(self, prompt: str) -> None:
        """Esc twice, and a prompt: the session goes on in another file, from before it."""
        self.leave(prompt, f"{self.session}_{len(self.files)}")
        self.start("resume")

    def fork(self, session: str, *, started: bool = True) -> None:
        """Another session, which goes on from here. started: the client tells so."""
        parent, self.session = self.session, session
        self.leave("", session, forked_from_id=parent)
        if started:
            self.start("fork")

    def compact(self) -> None:
        """`/compact`, and the start that the client reports with the next prompt."""
        self.send("PreCompact", trigger="manual", turn_id="compact")
        self.write(self.record("compacted", message="So far."))
        self.messages = []
        text = self.send("SessionStart", source="compact")
        if text:
            self.add(self.message("developer", text), text)

    def leave(self, prompt: str, file: str, **more: object) -> None:
        """Go on in another file. prompt: the one that is not in it any more, "" for none."""
        self.messages = self.before.get(prompt, self.messages)
        thread, end = self.ends[prompt] if prompt else self.end
        base = {"thread_id": thread, "end_byte_offset": end}
        self.files.append(file)
        self.write(self.record("session_meta", id=self.session, history_base=base, **more))


class OpenCode(LinearClient):
    """OpenCode, whose plugin sends what is left of a session once something was taken back."""

    def __init__(self, root: Path, folder: Path) -> None:
        super().__init__("opencode", root, folder)
        self.before: dict[str, tuple[list[tuple[Record, str]], str]] = {}
        self.summarized, self.is_unread = "", False

    @property
    def transcript(self) -> Path:
        return self.folder / "none"

    def types(self, prompt: str, **more: object) -> str:
        self.before[prompt] = list(self.messages), self.summarized
        if self.is_unread:
            texts = [text for _, text in self.messages if text]
            more |= {"conversation": texts, "summarized": self.summarized}
            self.is_unread = False
        text = self.send("UserPromptSubmit", prompt=prompt, message_id=f"turn {self.now}", **more)
        self.messages.append(({}, text))
        return text

    def answer(self) -> None:
        self.send("Stop")

    def compact(self) -> None:
        self.send("PreCompact")
        self.messages, self.summarized = [], self.time()

    def takes_back(self, prompt: str) -> None:
        """`/undo`."""
        self.messages, self.summarized = self.before[prompt]
        self.is_unread = True
