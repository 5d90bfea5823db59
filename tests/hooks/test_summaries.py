"""After a compaction that no event tells of, the model has the rules again with the next event:
VS Code's chat file and Gemini CLI's session file show that a summary has taken the history's place.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations import client_registry
from synapse_ls.text.fast_json import dumps
from tests.hooks.linear_clients import Gemini
from tests.trees import TEAM, write_tree

RULES = "[GLOBAL]"
LIMITS = {
    "metadata": {
        "maxInputTokens": 128_000,
        "maxOutputTokens": 16_000,
        "maxContextWindowTokens": 144_000,
    }
}


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache and a home of their own."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


class Client:
    """A client whose events come in one session, a minute after the other."""

    def __init__(self, name: str, root: Path, transcript: Path) -> None:
        self.root = root
        self.transcript = transcript
        self._host = client_registry.load_client(name)
        self._now = 1_790_000_000.0

    def send(self, event: str, **fields: Any) -> str:
        raw = {
            "session_id": "chat-1",
            "transcript_path": str(self.transcript),
            "cwd": str(self.root),
            "hook_event_name": event,
            "timestamp": "2026-11-23T10:00:00.000Z",
            **fields,
        }
        assert self._host is not None
        replies: list[dict[str, Any]] = []
        self._now += 60
        parsed = self._host.parse_event(raw, event)
        dispatch_event(parsed, self._host, replies.append, clock=lambda: self._now)
        return dumps(replies[0])

    def status(self) -> Any:
        path = self.root / ".synapse/sessions/chat-1.json"
        return json.loads(path.read_text("utf-8"))


class Chat(Client):
    """VS Code with a chat whose file is the log of its changes."""

    def __init__(self, folder: Path, root: Path) -> None:
        home = folder / "workspaceStorage/0a1b"
        transcript = home / "GitHub.copilot-chat/transcripts/chat-1.jsonl"
        transcript.parent.mkdir(parents=True)
        transcript.write_text("{}\n", "utf-8")
        self.file = home / "chatSessions/chat-1.jsonl"
        self.file.parent.mkdir()
        self._requests = 0
        self._text = ""
        """What the hook has brought with the last prompt."""
        super().__init__("vscode", root, transcript)

    def prompt(self, text: str) -> str:
        reply = self.send("UserPromptSubmit", prompt=text)
        self._text = json.loads(reply).get("additionalContext", "")
        return reply

    def answer(self, used: int, *summaries: str, window: int = 128_000) -> None:
        """What the client writes once the model has answered; summaries: the rounds, ``own-0`` that
        of the first answer, with which ends what a summary stands for."""
        round_ = {"id": f"own-{self._requests}", "timestamp": self._sent + 1}
        metadata: dict[str, Any] = {
            "promptTokens": used,
            "outputTokens": 20,
            "maxInputTokens": window,
            "toolCallRounds": [round_],
        }
        if self._text:
            told = f"Additional instructions from hooks: {self._text}\n</context>"
            metadata["renderedUserMessage"] = [{"type": 1, "text": told}]
        if summaries:
            metadata["summaries"] = [{"toolCallRoundId": id, "text": "So far."} for id in summaries]
        self._append(metadata)

    def compact(self) -> None:
        """``/compact``, on which no hook is called."""
        self._now += 60
        last = f"own-{self._requests - 1}"
        self._append({"summary": {"toolCallRoundId": last, "text": "So far."}})

    @property
    def _sent(self) -> int:
        return int(self._now * 1000)

    def _append(self, metadata: dict[str, Any]) -> None:
        """A request with its result."""
        if not self._requests:
            self._write({"kind": 0, "v": {"version": 3, "sessionId": "chat-1", "requests": []}})
        request = {
            "requestId": f"r{self._requests}",
            "timestamp": self._sent,
            "message": {"text": '… "promptTokens": 1 …'},
            "result": {"metadata": metadata},
        }
        self._write({"kind": 2, "k": ["requests"], "v": [request]})
        self._requests += 1

    def change(self, *path: object, value: object) -> None:
        """A later change to the chat that tells of nothing."""
        self._write({"kind": 1, "k": list(path), "v": value})

    def _write(self, record: dict[str, Any]) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", TEAM)


@pytest.fixture
def chat(tmp_path: Path, root: Path) -> Chat:
    return Chat(tmp_path / "code", root)


@pytest.fixture
def gemini(tmp_path: Path, root: Path) -> Gemini:
    return Gemini(root, tmp_path / "gemini")


def test_usage_is_counted_as_the_gauge_of_the_chat_counts_it(chat: Chat) -> None:
    chat.change("inputState", "selectedModel", value=LIMITS)
    chat.answer(100_000, window=0)
    chat.prompt("go on")
    figures = chat.status()["context"]["usage"]
    assert (figures["used"], figures["window"]) == (100_020, 144_000)


def test_a_chat_that_may_be_compacted_before_the_answer_is_told_all_with_the_prompt(
    chat: Chat,
) -> None:
    chat.change("inputState", "selectedModel", value=LIMITS)
    told = []
    for used in (20_000, 97_000, 98_000, 99_900, 101_000):
        told.append(RULES in chat.prompt(f"go on, {used}"))
        chat.answer(used, window=0)
    told.append(RULES in chat.prompt("go on"))
    assert told == [True, False, True, False, True, True]


def test_a_chat_whose_last_answer_is_not_written_yet_may_be_fuller(chat: Chat) -> None:
    chat.change("inputState", "selectedModel", value=LIMITS)
    chat.prompt("hello")
    chat.answer(60_000)
    assert RULES not in chat.prompt("go on")
    answer = {"type": "assistant.turn_end", "timestamp": "2199-01-01T00:00:00.000Z"}
    chat.transcript.write_text(json.dumps(answer) + "\n", "utf-8")
    assert RULES in chat.prompt("go on with it")


def test_a_summary_that_was_asked_for_is_seen(chat: Chat) -> None:
    chat.prompt("hello")
    chat.answer(20_000)
    chat.prompt("go on")
    chat.answer(21_000)
    chat.compact()
    assert RULES in chat.prompt("go on with it")
    assert RULES not in chat.prompt("and on")


def test_a_chat_that_was_summarised_is_told_all_again(chat: Chat) -> None:
    assert RULES in chat.prompt("hello")
    chat.answer(20_000)
    assert RULES not in chat.prompt("go on")
    chat.answer(21_000, "own-0")
    assert RULES in chat.prompt("go on with it")
    assert RULES not in chat.prompt("and on")


def test_what_came_behind_what_was_summarised_stays(chat: Chat) -> None:
    """As the whole block that comes with a prompt before which a summary is put in place."""
    chat.change("inputState", "selectedModel", value=LIMITS)
    chat.prompt("hello")
    chat.answer(101_000)
    assert RULES in chat.prompt("go on")
    chat.answer(21_000, "own-0")
    assert RULES not in chat.prompt("go on with it")


def test_a_summary_that_is_written_late_takes_nothing_that_came_after_it(
    chat: Chat, root: Path
) -> None:
    chat.prompt("hello")
    chat.answer(20_000)
    chat.prompt("go on")
    (root / ".synapse/global").write_text("GLOBAL_RULE_0=Say why.\n")
    text = chat._text, chat._now
    assert "Say why." in chat.prompt("go on with it")
    later = chat._text, chat._now
    chat._text, chat._now = text
    chat.answer(21_000, "own-0")
    chat._text, chat._now = later
    chat.answer(22_000)
    assert "Say why." not in chat.prompt("and on")


def test_a_summary_counts_once_however_often_it_is_written(chat: Chat) -> None:
    chat.prompt("hello")
    chat.answer(20_000)
    chat.prompt("and on")
    chat.answer(20_000, "own-0")
    chat.prompt("go on")
    chat.answer(22_000, "own-0")
    assert RULES not in chat.prompt("go on with it")
    chat.answer(23_000, "own-0", "own-2")
    assert RULES in chat.prompt("go on")


def test_a_summary_of_a_round_that_is_not_there_any_more_takes_nothing(chat: Chat) -> None:
    chat.prompt("hello")
    chat.answer(20_000)
    chat.prompt("go on")
    chat.answer(21_000, "of-a-request-that-was-retried")
    assert RULES not in chat.prompt("go on with it")


def test_other_changes_of_a_chat_are_no_summaries(chat: Chat) -> None:
    chat.prompt("hello")
    chat.answer(20_000)
    text = '"summaries": [{"toolCallRoundId": "forged", "text": "x"}]'
    chat.change("requests", 0, "message", "text", value=text)
    assert RULES not in chat.prompt("go on")


def test_usage_is_that_of_the_chat_and_its_model(chat: Chat) -> None:
    chat.prompt("hello")
    chat.answer(90_000)
    assert "[DEPLETED]" in chat.prompt("go on")
    figures = chat.status()["context"]["usage"]
    assert (figures["used"], figures["window"]) == (90_020, 128_000)
    assert figures["origin"] == "VS Code's chat file"


def test_a_chat_without_a_file_is_told_all_again_after_a_few_prompts(chat: Chat) -> None:
    told = [
        RULES in chat.prompt(text) for text in ("hello", "go on", "go on", "and", "on", "with it")
    ]
    assert told == [True, False, False, False, True, False]


@pytest.mark.parametrize("bytes_", [b"\0\xff" * 50_000, b"{" * 100_000, b'"promptTokens":' * 9_000])
def test_a_chat_file_that_cannot_be_read_says_nothing(chat: Chat, bytes_: bytes) -> None:
    chat.prompt("hello")
    chat.file.write_bytes(bytes_)
    assert RULES not in chat.prompt("go on")


def test_a_compression_between_two_prompts_is_seen(gemini: Gemini) -> None:
    assert RULES in gemini.types("hello")
    gemini.answer(25_000)
    assert gemini.ask("go on") == ""
    gemini.compress("s1")
    assert RULES in gemini.ask("go on")
    assert gemini.ask("go on") == ""


def test_a_compression_within_a_turn_is_seen_with_the_next_tool(gemini: Gemini) -> None:
    assert RULES in gemini.types("hello")
    gemini.answer(700_000)
    gemini.compress("s1")
    assert RULES in gemini.tool()
    assert gemini.tool() == ""


def test_a_history_that_is_written_again_is_no_new_compression(gemini: Gemini) -> None:
    gemini.ask("hello")
    gemini.compress("s1")
    assert RULES in gemini.ask("go on")
    gemini.rewrite()
    assert gemini.ask("go on") == ""
