"""What a person edits, retries, restores or cancels in VS Code's chat, by the file that it writes of a
chat: the model is sent every rule that applies, once.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations.vscode import CLIENT
from synapse_ls.storage import injection_log
from synapse_ls.storage.session_store import format_timestamp
from tests.trees import TEAM, write_tree

LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}
DEV, QA = "[ACTIVE AGENT: @dev]", "[ACTIVE AGENT: @qa]"
WITHDRAWN = "@dev's rules no longer apply"
GLOBAL = "Write small functions"


class Chat:
    """A chat: requests that are written when the next one is sent, as VS Code does."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.transcript = folder / "GitHub.copilot-chat/transcripts/chat-1.jsonl"
        self.file = folder / "chatSessions/chat-1.jsonl"
        for file in (self.transcript, self.file):
            file.parent.mkdir(parents=True)
            file.touch()
        self.now = 1_800_000_000.0
        self.texts: list[list[str]] = []
        """What hooks have brought with each request that is left."""
        self.summaries: list[str] = []
        """The calls of tools with which ends what the next result says was summed up."""
        self.write(kind=0, v={"version": 3, "requests": []})

    def write(self, **row: object) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")
        os.utime(self.file, (self.now, self.now))

    def send(self, name: str, **fields: Any) -> str:
        """Returns the text that an event puts before the model, "" for none."""
        self.now += 1
        raw = {
            "session_id": "chat-1",
            "transcript_path": str(self.transcript),
            "cwd": str(self.root),
            "hook_event_name": name,
            "timestamp": format_timestamp(self.now),
            **fields,
        }
        replies: list[dict[str, Any]] = []
        event = CLIENT.parse_event(raw, name)
        dispatch_event(event, CLIENT, replies.append, clock=lambda: self.now)
        text: str = replies[0].get("additionalContext", "")
        return text

    def types(self, prompt: str, *, instead_of: int | None = None) -> str:
        """A prompt, or what was typed in the place of a request that was sent, and what came after;
        the file has it once the hook was called."""
        self.now += 5
        sent = int(self.now * 1000)
        text = self.send("UserPromptSubmit", prompt=prompt)
        at = {} if instead_of is None else {"i": instead_of}
        if instead_of is not None:
            del self.texts[instead_of:]
        request = {"requestId": f"r{sent}", "timestamp": sent, "message": {"text": prompt}}
        self.write(kind=2, k=["requests"], v=[request], **at)
        self.texts.append([text])
        return text

    def ends(self, *, state: int = 1) -> None:
        """The turn; 2: a person has cancelled it."""
        at = len(self.texts) - 1
        if state == 1:
            self.write(kind=1, k=["requests", at, "result"], v=self._result(self.texts[at]))
        self.write(kind=1, k=["requests", at, "modelState"], v={"value": state})

    def ask(self, prompt: str, *, instead_of: int | None = None) -> str:
        text = self.types(prompt, instead_of=instead_of)
        self.ends()
        return text

    def forks(self, before: int) -> None:
        """Goes on in a copy of what came before a request, whose prompts are reported as those of
        the original."""
        self.now += 5
        made = int(self.now * 1000)
        del self.texts[before:]
        requests = [
            {"requestId": f"f{n}", "timestamp": made + n, "result": self._result(texts)}
            for n, texts in enumerate(self.texts)
        ]
        self.file = self.file.with_name("chat-2.jsonl")
        self.write(kind=0, v={"version": 3, "creationDate": made, "requests": requests})

    def _result(self, texts: list[str]) -> dict[str, Any]:
        words = "\n".join(filter(None, texts[:1]))
        said = f"\nAdditional instructions from hooks: {words}" if words else ""
        rendered = [{"type": 1, "text": f"<context>\nToday.{said}\n</context>"}]
        calls = [f"call-{number}" for number in range(len(texts) - 1)]
        now = int(self.now * 1000)
        tools = {
            "toolCallRounds": [
                {"id": call, "toolCalls": [{"id": call}], "timestamp": now} for call in calls
            ],
            "summaries": [{"toolCallRoundId": name} for name in self.summaries],
            "toolCallResults": dict(zip(calls, texts[1:], strict=True)),
            "sessionId": "chat-1",
        }
        return {"metadata": {"renderedUserMessage": rendered, **tools}}

    def runs_a_tool(self) -> str:
        text = self.send("PostToolUse", tool_name="read", tool_input={}, tool_response="done")
        told = f"\n<PostToolUse-context>\n{text}\n</PostToolUse-context>" if text else "done"
        self.texts[-1].append(told)
        return text

    @property
    def window(self) -> str:
        return "\n".join(text for request in self.texts for text in request)


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chat:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Chat(write_tree(tmp_path / "team", LIVE), tmp_path / "workspaceStorage/1")


def outcomes(chat: Chat) -> list[str]:
    """What the log says of each reply that had something to say, the first one first."""
    replies = [r for r in injection_log.read_replies(str(chat.root)) if r["tokens"]]
    return [
        "cancelled"
        if r["cancelled"]
        else {True: "arrived", False: "missing", None: ""}[r["arrived"]]
        for r in reversed(replies)
    ]


def test_what_the_file_of_the_chat_shows_has_arrived(chat: Chat) -> None:
    chat.ask("@dev begin")
    assert chat.ask("go on") == chat.ask("go on") == ""
    assert outcomes(chat) == ["arrived"]


def test_an_edited_request_takes_what_came_with_it(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.ask("@qa look")
    chat.ask("more")
    assert chat.ask("test it", instead_of=1) == ""  # nothing shows the edit yet
    chat.ask("go on")
    assert chat.window.count(QA) == chat.window.count(WITHDRAWN) == 1
    assert chat.window.count(GLOBAL) == 1
    assert chat.ask("and on") == ""
    assert outcomes(chat)[:2] == ["arrived", "cancelled"]


def test_the_first_tool_of_an_edited_request_brings_what_was_lost(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.ask("@qa look")
    chat.types("test it", instead_of=1)
    assert QA in chat.runs_a_tool()
    assert chat.runs_a_tool() == ""
    chat.ends()
    assert chat.ask("go on") == ""
    assert chat.window.count(WITHDRAWN) == chat.window.count(GLOBAL) == 1


def test_a_first_request_that_is_edited_brings_everything_again(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.ask("more")
    chat.ask("@dev start anew", instead_of=0)
    chat.ask("go on")
    assert chat.window.count(DEV) == chat.window.count(GLOBAL) == 1


def test_a_request_that_is_sent_again_as_it_was_has_what_came_with_it(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.ask("@qa look")
    chat.ask("@qa look", instead_of=1)
    assert chat.window.count(QA) == chat.window.count(WITHDRAWN) == 1
    assert chat.ask("go on") == ""
    assert outcomes(chat) == ["arrived", "cancelled", "arrived"]


def test_a_first_request_that_is_sent_again_brings_everything_again(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.ask("@dev begin", instead_of=0)
    assert chat.window.count(DEV) == chat.window.count(GLOBAL) == 1
    assert chat.ask("go on") == ""


def test_a_request_that_is_sent_again_within_a_second_has_what_came_with_it(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.now -= 5
    assert DEV in chat.ask("@dev begin", instead_of=0)


def test_a_fork_has_what_came_before_the_request_that_it_begins_at(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.ask("@qa look")
    chat.ask("more")
    chat.forks(before=1)
    chat.ask("go on")  # nothing shows yet that this is asked in the fork
    chat.ask("and on")
    assert chat.window.count(QA) == chat.window.count(WITHDRAWN) == 1
    assert chat.window.count(GLOBAL) == 1
    assert chat.ask("to the end") == ""


def test_a_fork_that_begins_at_the_first_request_has_everything(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.forks(before=0)
    chat.ask("go on")
    chat.ask("and on")
    assert chat.window.count(DEV) == chat.window.count(GLOBAL) == 1


def test_another_chat_that_was_written_later_is_no_fork(chat: Chat) -> None:
    chat.ask("@dev begin")
    other = chat.file.with_name("chat-3.jsonl")
    other.write_text(chat.file.read_text().replace("chat-1", "chat-3"))
    assert chat.ask("go on") == chat.ask("and on") == ""


def test_what_came_with_a_cancelled_request_comes_again_and_is_not_said_to_be_gone(
    chat: Chat,
) -> None:
    chat.ask("@dev begin")
    chat.types("@qa look")
    chat.ends(state=2)
    assert QA in chat.ask("go on")
    assert chat.ask("and on") == ""
    assert outcomes(chat) == ["arrived", "", "arrived"]


def test_what_came_with_a_cancelled_request_is_revoked_where_it_does_not_hold(chat: Chat) -> None:
    chat.ask("@dev begin")
    chat.types("@qa look")
    chat.ends(state=2)
    text = chat.ask("@dev go on")
    assert DEV in text and "@qa's rules no longer apply" in text
    assert chat.ask("and on") == ""


def test_what_a_tool_brought_before_a_request_was_cancelled_stays(chat: Chat) -> None:
    chat.ask("@dev begin")
    (chat.root / ".synapse/global").write_text("GLOBAL_RULE_0=Say why.\n")
    chat.types("more")
    (chat.root / ".synapse/global").write_text("GLOBAL_RULE_0=Say why not.\n")
    assert "Say why not." in chat.runs_a_tool()
    chat.ends()
    chat.ends(state=2)
    assert "Say why not." not in chat.ask("go on")


def test_requests_whose_answers_are_not_written_yet_stand(chat: Chat) -> None:
    chat.types("@dev begin")
    chat.types("@qa look")
    assert chat.types("go on") == ""
    assert "cancelled" not in outcomes(chat)


def test_a_compaction_within_a_turn_is_made_up_for_by_the_next_tool(chat: Chat) -> None:
    chat.types("@dev begin")
    chat.transcript.write_text("{}\n")
    chat.send("PreCompact", trigger="auto")
    text = chat.runs_a_tool()
    assert DEV in text and GLOBAL in text
    assert chat.runs_a_tool() == ""
    chat.ends()
    assert chat.ask("go on") == chat.ask("and on") == ""


def test_what_came_with_the_last_tool_before_a_compaction_stays(chat: Chat) -> None:
    chat.types("@dev begin")
    chat.transcript.write_text("{}\n")
    chat.runs_a_tool()
    chat.send("PreCompact", trigger="auto")
    assert DEV in chat.runs_a_tool()
    chat.send("PreCompact", trigger="auto")
    chat.summaries = ["call-0"]
    chat.ends()
    assert chat.ask("go on") == ""


def test_an_earlier_summary_says_nothing_of_a_compaction_that_is_not_written_yet(
    chat: Chat,
) -> None:
    chat.types("@dev begin")
    chat.runs_a_tool()
    chat.summaries = ["call-0"]
    chat.ends()
    chat.summaries = []
    assert DEV in chat.ask("go on")
    chat.types("and on")
    chat.transcript.write_text("{}\n")
    chat.send("PreCompact", trigger="auto")
    assert DEV in chat.runs_a_tool()


@pytest.mark.parametrize(
    "line",
    [
        '{"kind":2,"k":["requests"],"v":7,"i":0}',
        '{"kind":2,"k":["requests"],"v":[null,3,{"timestamp":"x"},{"timestamp":-1}],"i":"a"}',
        '{"kind":1,"k":["requests",9,"modelState"],"v":{"value":2}}',
        '{"kind":1,"k":["requests","x","modelState"],"v":{"value":2}}',
        '{"kind":1,"k":["requests",1,"modelState"],"v":{"value":2},"k":5}',
        '{"kind":1,"k":["requests",1,"modelState"],"v":{"value":2}',
    ],
)
def test_a_line_of_the_chat_that_is_none_takes_nothing_back(chat: Chat, line: str) -> None:
    chat.ask("@dev begin")
    with chat.file.open("a") as file:
        file.write(line + "\n")
    chat.ask("go on")
    chat.ask("and on")
    assert DEV in chat.window
