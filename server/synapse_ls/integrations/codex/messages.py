"""This module reads the messages in the context window from a rollout file of Codex (format: the
`transcript` module beside it).

``response_item`` records are items of OpenAI's Responses API. ``compacted`` has the history
that takes the place of the one before, or, in older files, a summary alone; then the
instructions stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from synapse_ls.compaction.compaction_errors import ShapeError
from synapse_ls.compaction.message import Compaction, Message, Role, Text
from synapse_ls.compaction.message_reader import read_message
from synapse_ls.integrations.message_window import MessageWindow
from synapse_ls.integrations.transcript_tail import inner_object, token_count
from synapse_ls.integrations.transcript_turns import list_value, parse_records, string_value

NAME = "codex"

# How the message begins in which the client hands a summary to the next model.
SUMMARY_PREFIX = "Another language model started to solve this problem and produced a summary"


def read_messages(lines: Iterable[bytes]) -> list[Message]:
    """Returns the messages that stand in the window of Codex at the end of the file."""
    window = MessageWindow()
    for found in parse_records(lines):
        kind, payload = found.get("type"), inner_object(found, "payload")
        if kind == "session_meta" and not len(window):
            told = string_value(inner_object(payload, "base_instructions").get("text"))
            window.add(Role.SYSTEM, (Text(told),) if told else ())
        elif kind == "response_item":
            _add_item(window, payload)
        elif kind == "compacted":
            _apply_compaction(window, payload)
        elif kind == "event_msg" and payload.get("type") == "thread_rolled_back":
            window.cut_turns(token_count(payload.get("num_turns")))
    return window.to_messages()


def _add_item(window: MessageWindow, payload: Mapping[str, object]) -> None:
    try:
        message = read_message(payload, 0)
    except ShapeError:
        return  # the client's own notes, such as snapshots of the repository
    if message.role is Role.USER and message.text.startswith(SUMMARY_PREFIX):
        window.add(Role.USER, (Compaction(message.text),))
    else:
        window.add(message.role, message.content)


def _apply_compaction(window: MessageWindow, payload: Mapping[str, object]) -> None:
    before = window.cut_after(0)
    window.restore(entry for entry in before if entry[1].role is Role.SYSTEM)
    history = payload.get("replacement_history")
    if isinstance(history, list):
        for item in list_value(history):
            _add_item(window, inner_object(item))
    elif summary := string_value(payload.get("message")):
        window.add(Role.USER, (Compaction(summary),))
