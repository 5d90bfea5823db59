"""Keep the messages that stand in a model's context window, while a transcript is read from its
beginning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from synapse_ls.compaction.message import (
    Block,
    Message,
    RedactedThinking,
    Role,
    Thinking,
    ToolResult,
    ToolUse,
)


class MessageWindow:
    """The messages in a model's window in order, each under a key by which the transcript speaks of
    it; "" for none.
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: list[tuple[str, Message]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, role: Role, content: Iterable[Block], key: str = "") -> None:
        """Add a message of ``role``; a message without content is none."""
        if blocks := tuple(content):
            self._entries.append((key, Message(role, blocks)))

    def extend(self, role: Role, content: Iterable[Block]) -> None:
        """Add content to the last message."""
        key, last = self._entries.pop()
        self._entries.append((key, replace(last, role=role, content=(*last.content, *content))))

    @property
    def last_key(self) -> str:
        """The key of the last message."""
        return self._entries[-1][0] if self._entries else ""

    def replace(self, messages: Iterable[tuple[Role, Iterable[Block]]], key: str) -> None:
        """Put messages in the place of those with their key, or at the end where there are none."""
        fresh = [
            (key, Message(role, blocks)) for role, content in messages if (blocks := tuple(content))
        ]
        places = [place for place, (name, _) in enumerate(self._entries) if name == key]
        begin = places[0] if places else len(self._entries)
        end = places[-1] + 1 if places else begin
        self._entries[begin:end] = fresh

    def cut_after(self, length: int) -> list[tuple[str, Message]]:
        """Remove and return what stands after the first ``length`` messages."""
        gone = self._entries[length:]
        del self._entries[length:]
        return gone

    def cut_at(self, key: str) -> None:
        """Remove the first message with a key, and all after it."""
        for place, (name, _) in enumerate(self._entries):
            if name == key:
                del self._entries[place:]
                return

    def cut_turns(self, number: int) -> None:
        """Remove the last ``number`` turns."""
        starts = [i for i, (_, message) in enumerate(self._entries) if message.is_prompt]
        if number > 0 and starts:
            del self._entries[starts[-min(number, len(starts))] :]

    def restore(self, entries: Iterable[tuple[str, Message]]) -> None:
        """Put back at the end what was removed."""
        self._entries.extend(entries)

    def to_messages(self) -> list[Message]:
        """Return the messages, numbered from 1, without calls that nothing answered.

        An interruption leaves such calls, and no model takes a history with them.
        """
        spoken = [message for _, message in self._entries]
        answered = {
            block.tool_use_id
            for m in spoken
            for block in m.content
            if isinstance(block, ToolResult)
        }
        sent = [
            messages
            for message in spoken
            if (messages := _drop_unanswered_calls(message, answered))
        ]
        return [replace(message, number=number) for number, message in enumerate(sent, 1)]


def _drop_unanswered_calls(message: Message, answered_ids: Collection[str]) -> Message | None:
    """Return the message with those of its calls that were answered; None where nothing but
    thoughts is left.
    """
    content = tuple(
        b for b in message.content if not isinstance(b, ToolUse) or b.id in answered_ids
    )
    if len(content) == len(message.content):
        return message
    if all(isinstance(block, Thinking | RedactedThinking) for block in content):
        return None
    return replace(message, content=content)
