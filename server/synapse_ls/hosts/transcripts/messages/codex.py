"""The messages in a rollout file of Codex (see `hosts.transcripts.codex` for the format).

``response_item`` records are items of OpenAI's Responses API. ``compacted`` has the history that takes
the place of the one before, or, in older files, a summary alone; then the instructions stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from synapse_ls.compaction.errors import ShapeError
from synapse_ls.compaction.message import Compaction, Message, Role, Text
from synapse_ls.compaction.shapes.reading import read_message
from synapse_ls.hosts.transcripts.history.reading import items, records, text
from synapse_ls.hosts.transcripts.messages.window import Window
from synapse_ls.hosts.transcripts.tail import count, table

NAME = "codex"

# How the message begins in which the client hands a summary to the next model.
SUMMED = "Another language model started to solve this problem and produced a summary"


def messages(lines: Iterable[bytes]) -> list[Message]:
    """What stands in the window at the end of the file."""
    window = Window()
    for found in records(lines):
        kind, payload = found.get("type"), table(found, "payload")
        if kind == "session_meta" and not len(window):
            told = text(table(payload, "base_instructions").get("text"))
            window.add(Role.SYSTEM, (Text(told),) if told else ())
        elif kind == "response_item":
            _take(window, payload)
        elif kind == "compacted":
            _compacted(window, payload)
        elif kind == "event_msg" and payload.get("type") == "thread_rolled_back":
            window.cut_turns(count(payload.get("num_turns")))
    return window.messages()


def _take(window: Window, payload: Mapping[str, object]) -> None:
    try:
        message = read_message(payload, 0)
    except ShapeError:
        return  # the client's own notes, such as snapshots of the repository
    if message.role is Role.USER and message.text.startswith(SUMMED):
        window.add(Role.USER, (Compaction(message.text),))
    else:
        window.add(message.role, message.content)


def _compacted(window: Window, payload: Mapping[str, object]) -> None:
    before = window.cut(0)
    window.bring(entry for entry in before if entry[1].role is Role.SYSTEM)
    history = payload.get("replacement_history")
    if isinstance(history, list):
        for item in items(history):
            _take(window, table(item))
    elif summary := text(payload.get("message")):
        window.add(Role.USER, (Compaction(summary),))
