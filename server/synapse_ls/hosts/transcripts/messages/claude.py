"""The messages in a transcript of Claude Code (see `hosts.transcripts.claude` for the format).

A record holds one block of an answer; those of one answer have one message id. A prompt whose parent is
not the record before it takes back what came after its parent. After ``compact_boundary`` stand the
summary and the messages that the client says it has kept. What hooks add is said by the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from synapse_ls.compaction.message import Compaction, Message, Role, Text
from synapse_ls.compaction.shapes.reading import blocks
from synapse_ls.hosts.transcripts.claude import injected
from synapse_ls.hosts.transcripts.history.reading import items, records, text
from synapse_ls.hosts.transcripts.messages.window import Window
from synapse_ls.hosts.transcripts.tail import table

NAME = "claude"


def messages(lines: Iterable[bytes]) -> list[Message]:
    """What stands in the window of the main conversation at the end of the transcript."""
    reading = _Reading()
    for found in records(lines):
        if found.get("isSidechain") is not True:
            reading.take(found)
    reading.window.bring(reading.kept)
    return reading.window.messages()


class _Reading:
    """kept: what a compaction has left, until the summary that stands before it was read."""

    def __init__(self) -> None:
        self.window = Window()
        self.kept: list[tuple[str, Message]] = []
        self.after: dict[str, int] = {}  # by id of a record: how many messages stood then
        self.keys: dict[str, str] = {}  # by id of a record: the key of the message it is part of

    def take(self, found: Mapping[str, object]) -> None:
        kind = found.get("type")
        if kind == "user":
            self._said(found)
        elif kind == "assistant":
            self._answered(found)
        elif kind == "attachment":
            for told in injected(dict(found)):
                self.window.add(Role.USER, (Text(told),))
        elif found.get("subtype") == "compact_boundary":
            self._compacted(found)
        if identity := text(found.get("uuid")):
            self.after[identity] = len(self.window)

    def _said(self, found: Mapping[str, object]) -> None:
        content = blocks(table(found, "message").get("content"))
        identity = text(found.get("uuid"))
        message = Message(Role.USER, content)
        if found.get("isCompactSummary") is True:
            self.window.add(Role.USER, (Compaction(message.text),), identity)
            self.window.bring(self.kept)
            self.kept = []
            return
        if message.is_prompt:
            self.window.cut(self.after.get(text(found.get("parentUuid")), len(self.window)))
        self.keys[identity] = identity
        self.window.add(Role.USER, content, identity)

    def _answered(self, found: Mapping[str, object]) -> None:
        answer = table(found, "message")
        content = blocks(answer.get("content"))
        key = text(answer.get("id")) or text(found.get("uuid"))
        self.keys[text(found.get("uuid"))] = key
        if len(self.window) and self.window.last_key == key:
            self.window.extend(Role.ASSISTANT, content)
        else:
            self.window.add(Role.ASSISTANT, content, key)

    def _compacted(self, found: Mapping[str, object]) -> None:
        left = items(table(found, "compactMetadata", "preservedMessages").get("uuids"))
        keys = {self.keys[name] for name in map(text, left) if name in self.keys}
        self.kept = [entry for entry in self.window.cut(0) if entry[0] in keys]
        self.after.clear()
