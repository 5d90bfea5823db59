"""The turns of a transcript of Antigravity (see `hosts.transcripts.antigravity` for the format).

A call of a tool is part of a ``PLANNER_RESPONSE``, each of its arguments JSON of its own. What came of it
is a later step, called after the sort of the tool (``RUN_COMMAND``), or an ``ERROR_MESSAGE``; neither
names the call, so that calls are answered in their order. A step that goes on is written again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.hosts.failures import failed_text, failure_in
from synapse_ls.hosts.transcripts.antigravity import prompt_of
from synapse_ls.hosts.transcripts.history.reading import (
    Reading,
    call,
    items,
    places,
    records,
    text,
)
from synapse_ls.hosts.transcripts.tail import table
from synapse_ls.hosts.transcripts.turn import Draft, Turn
from synapse_ls.text.json import loads

NAME = "antigravity"

EDITS = ("write_to_file", "replace_file_content", "multi_replace_file_content", "edit_file")
_ASIDE = frozenset(
    {
        *("BRAIN_UPDATE", "CHECKPOINT", "CONVERSATION_HISTORY", "DIRECTORY_RULES"),
        *("EPHEMERAL_MESSAGE", "KI_INSERTION", "KNOWLEDGE_ARTIFACTS", "KNOWLEDGE_GENERATION"),
        *("SUGGESTED_RESPONSES", "SYSTEM_MESSAGE", "FINISH", "NOTIFY_USER"),
    }
)
_OVER = ("", "DONE", "ERROR")  # states of a step that will not go on, and that nobody has stopped
_HEADERS = ("Created At: ", "Completed At: ")
_SAID = "Error Message:"
_AFTER = "\nGuidance:"
_DENIED = "denied"


def recognises(found: Mapping[str, object]) -> bool:
    """Whether Antigravity wrote a step like this."""
    kind = text(found.get("type"))
    return kind.isupper() and ("step_index" in found or "source" in found)


def turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """The turns of the conversation, in the order of the file."""
    reading, calls = Reading(), _Calls()
    for found in records(lines):
        kind = text(found.get("type"))
        if kind == "USER_INPUT":
            if asked := prompt_of(dict(found)):
                yield from reading.open(asked, found.get("created_at"))
                calls = _Calls()
        elif reading.draft is None or kind in _ASIDE:
            continue
        elif kind == "PLANNER_RESPONSE":
            calls.made(reading.draft, found)
        else:
            reading.draft.failed(calls.answered(found), _failure(found))
    yield from reading.close()


class _Calls:
    """The calls of a turn: those that wait for an answer, and which step has answered which."""

    __slots__ = ("answers", "waiting")

    def __init__(self) -> None:
        self.waiting: dict[str, str] = {}
        self.answers: dict[str, str] = {}

    def made(self, draft: Draft, found: Mapping[str, object]) -> None:
        """The agent has said something and called tools."""
        step = str(found.get("step_index", ""))
        draft.say(text(found.get("content")), step)
        for number, item in enumerate(items(found.get("tool_calls"))):
            used = table(item)
            name = text(used.get("name")).removeprefix("default_api:")
            key = text(used.get("id")) or f"{step}.{number}"
            given = {field: _decoded(value) for field, value in table(used, "args").items()}
            draft.touch(places(given), edited=name in EDITS)
            call(draft, name, given, key)
            if key not in self.answers.values():
                self.waiting[key] = name.upper()

    def answered(self, found: Mapping[str, object]) -> str:
        """The call that a step answers, "" for none: the first that waits for such a step, or for any."""
        step, kind = str(found.get("step_index", "")), found.get("type")
        if step not in self.answers and self.waiting:
            of_kind = (key for key, name in self.waiting.items() if name == kind)
            self.answers[step] = key = next(of_kind, next(iter(self.waiting)))
            del self.waiting[key]
        return self.answers.get(step, "")


def _decoded(value: object) -> object:
    """An argument, which is a text, or JSON of one."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        try:
            inner = loads(value)
        except ValueError:
            return value
        return inner if isinstance(inner, str) else value
    return value


def _failure(found: Mapping[str, object]) -> str:
    """The words of a failure that a step tells, "" where it tells of none."""
    status = text(found.get("status")).upper()
    if status not in _OVER:
        return ""
    words = _bare(text(found.get("error")) or text(found.get("content")))
    if found.get("type") == "ERROR_MESSAGE":
        if _SAID in words:
            words = words.partition(_SAID)[2].partition(_AFTER)[0]
        return "" if _DENIED in words.lower() else failed_text(words)
    if status == "ERROR" or found.get("exit_code") not in (None, 0):
        return failed_text(words)
    return failure_in(words)


def _bare(words: str) -> str:
    """What a step says without the times that stand before it."""
    while words.startswith(_HEADERS):
        words = words.partition("\n")[2].lstrip("\n")
    return words.strip()
