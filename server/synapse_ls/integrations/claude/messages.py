"""This module reads the messages in the context window from a transcript of Claude Code (format:
the `transcript` module beside it).

A record holds one block of an answer; those of one answer have one message id. A prompt whose
parent is not the record before it takes back what came after its parent. After
``compact_boundary`` stand the summary and the messages that the client says it has kept. What
hooks add is said by the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from synapse_ls.compaction.message import Compaction, Message, Role, Text
from synapse_ls.compaction.message_reader import read_blocks
from synapse_ls.integrations.claude.transcript import injected_texts
from synapse_ls.integrations.message_window import MessageWindow
from synapse_ls.integrations.transcript_tail import inner_object
from synapse_ls.integrations.transcript_turns import list_value, parse_records, string_value

NAME = "claude"


def read_messages(lines: Iterable[bytes]) -> list[Message]:
    """Returns the messages of the main conversation that stand in the window of Claude Code at the
    end of the transcript.
    """
    reading = _MessageReader()
    for found in parse_records(lines):
        if found.get("isSidechain") is not True:
            reading.add_record(found)
    reading.window.restore(reading.kept_entries)
    return reading.window.to_messages()


class _MessageReader:
    """A reader that builds the window from records.

    kept_entries: what a compaction has left, until the summary that stands before it was
    read.
    """

    def __init__(self) -> None:
        self.window = MessageWindow()
        self.kept_entries: list[tuple[str, Message]] = []
        self.length_after: dict[str, int] = {}  # by id of a record: how many messages stood then
        self.keys: dict[str, str] = {}  # by id of a record: the key of the message it is part of

    def add_record(self, found: Mapping[str, object]) -> None:
        kind = found.get("type")
        if kind == "user":
            self._add_user_record(found)
        elif kind == "assistant":
            self._add_answer(found)
        elif kind == "attachment":
            for told in injected_texts(dict(found)):
                self.window.add(Role.USER, (Text(told),))
        elif found.get("subtype") == "compact_boundary":
            self._start_compaction(found)
        if identity := string_value(found.get("uuid")):
            self.length_after[identity] = len(self.window)

    def _add_user_record(self, found: Mapping[str, object]) -> None:
        content = read_blocks(inner_object(found, "message").get("content"))
        identity = string_value(found.get("uuid"))
        message = Message(Role.USER, content)
        if found.get("isCompactSummary") is True:
            self.window.add(Role.USER, (Compaction(message.text),), identity)
            self.window.restore(self.kept_entries)
            self.kept_entries = []
            return
        if message.is_prompt:
            self.window.cut_after(
                self.length_after.get(string_value(found.get("parentUuid")), len(self.window))
            )
        self.keys[identity] = identity
        self.window.add(Role.USER, content, identity)

    def _add_answer(self, found: Mapping[str, object]) -> None:
        answer = inner_object(found, "message")
        content = read_blocks(answer.get("content"))
        key = string_value(answer.get("id")) or string_value(found.get("uuid"))
        self.keys[string_value(found.get("uuid"))] = key
        if len(self.window) and self.window.last_key == key:
            self.window.extend(Role.ASSISTANT, content)
        else:
            self.window.add(Role.ASSISTANT, content, key)

    def _start_compaction(self, found: Mapping[str, object]) -> None:
        left = list_value(inner_object(found, "compactMetadata", "preservedMessages").get("uuids"))
        keys = {self.keys[name] for name in map(string_value, left) if name in self.keys}
        self.kept_entries = [entry for entry in self.window.cut_after(0) if entry[0] in keys]
        self.length_after.clear()
