"""This module finds the last prompt that a person gave to the agent of VS Code's own harness, in the
files in which VS Code keeps the chats of a workspace.

It asks only for what hooks are called on: prompts to Copilot's agent, no commands such as
``/compact``, and none to another participant. `chat_session` says where these files are.

Source: VS Code 1.139.1 with Copilot Chat 0.67, as it wrote them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from synapse_ls.integrations.transcript_tail import inner_object, lines_backward, parse_record

_AGENT = "github.copilot.editsagent"
_MOST_FILES = 3  # chats that somebody may have open at a time
_ENDINGS = (".jsonl", ".json")


class ChatPrompt(NamedTuple):
    """A ChatPrompt is one prompt in a stored chat of VS Code. ``time``: seconds since 1970.
    ``answered``: whether the model is done.
    """

    time: float
    answered: bool


def last_chat_prompt(folder: str) -> ChatPrompt | None:
    """Returns the last prompt in the chats of a folder, None where there is none."""
    found = [prompt for path in _newest_files(folder) if (prompt := _last_prompt(path))]
    return max(found, default=None)


def _newest_files(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            files = [
                (entry.stat().st_mtime, entry.path)
                for entry in entries
                if entry.name.endswith(_ENDINGS) and entry.is_file()
            ]
    except OSError:
        return []
    return [path for _, path in sorted(files, reverse=True)[:_MOST_FILES]]


def _last_prompt(path: str) -> ChatPrompt | None:
    answered = False  # a result that stands behind a request is its own
    for line in lines_backward(path):
        record = parse_record(line)
        place = record.get("k")
        if place == ["requests"] or "kind" not in record or record.get("kind") == 0:
            for request in reversed(list(_requests_in(record))):
                if moment := _prompt_time(request):
                    return ChatPrompt(moment, answered or "result" in request)
        elif isinstance(place, list) and place[:1] == ["requests"] and place[2:] == ["result"]:
            answered = True
    return None


def _requests_in(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    value = record.get("v", record)
    listed = value.get("requests") if isinstance(value, dict) else value
    for request in listed if isinstance(listed, list) else ():
        if isinstance(request, dict):
            yield request


def _prompt_time(request: dict[str, Any]) -> float:
    """Returns the moment of a prompt that hooks are called on, 0 for any other."""
    agent = str(inner_object(request, "agent").get("id")).lower()
    text = str(inner_object(request, "message").get("text"))
    moment = request.get("timestamp")
    is_heard = agent == _AGENT and "slashCommand" not in request and not text.startswith("/")
    return moment / 1000 if is_heard and isinstance(moment, int | float) else 0.0
