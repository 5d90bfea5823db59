"""This module reads the file in which VS Code keeps a chat: how much of the model's window is in
use, and whether the chat was summarised.

``…/workspaceStorage/{id}/chatSessions/{session}.jsonl``, two folders above the transcript that hooks are
told of, is a log of changes to the chat. The result of a request names ``promptTokens`` and
``outputTokens``, the model that was chosen its limits. After a compaction by itself the result has
``summaries``, after ``/compact`` one ``summary``, each with the round that it ends with. Earlier versions
wrote one ``.json``. Both are searched from their end for these names, whatever stands around them.

The chat's own gauge adds prompt and answer, and divides by all that the model's window holds, the room for
an answer included. What the model takes in decides when the client compacts: it begins a summary when a
prompt has 78 percent of that, at the earliest, and puts it in the history's place before the next request.

Source: VS Code 1.139.1 with Copilot Chat 0.67, as it wrote them.
"""

from __future__ import annotations

import os

from synapse_ls.integrations.transcript_tail import inner_object, lines_backward, parse_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

ORIGIN: Final = "VS Code's chat file"
_PROMPT: Final = b"promptTokens"
_ANSWER: Final = b"outputTokens"
_INPUT: Final = b"maxInputTokens"
_OUTPUT: Final = b"maxOutputTokens"
_WINDOW: Final = b"maxContextWindowTokens"
_MODELS: Final = (b"resolvedModel", b"modelId")
_SUMMARIES: Final = (b'"summaries"', b'"summary"')
_EARLIEST_SUMMARY: Final = 78  # percent of what the model takes in
_MOST: Final = 200  # bytes of a value that are looked at
_MOST_DIGITS: Final = 9
_DEEPEST: Final = (
    12  # levels of a record in which summaries are looked for; they stand in the seventh
)
_MODEL: Final = rb'(?<!\\)"(?:modelId|resolvedModel)"\s*:\s*"([^"\\]{1,100})"'


def chat_file(transcript: str, session_id: str) -> str:
    """Returns the path of the file in which VS Code keeps the session of a chat, "" where there is
    none.
    """
    if not transcript or not session_id or os.path.basename(session_id) != session_id:
        return ""
    folder = transcript
    for _ in range(3):
        folder = os.path.dirname(folder)
    for ending in (".jsonl", ".json"):
        path = os.path.join(folder, "chatSessions", session_id + ending)
        if os.path.isfile(path):
            return path
    return ""


def read_chat_usage(path: str) -> dict[str, object] | None:
    """Returns, from VS Code's file of a chat session, the tokens of the last prompt and its answer,
    the window of the model, and from which size on the client may compact; None where the file does
    not say.
    """
    prompt = answer = 0
    limits = dict.fromkeys((_INPUT, _OUTPUT, _WINDOW), 0)
    model = ""
    for line in lines_backward(path) if path else ():
        if not prompt:
            prompt = _to_number(_last_value(_PROMPT, line))
            answer = _to_number(_last_value(_ANSWER, line)) if prompt else 0
        for name, known in limits.items():
            limits[name] = known or _to_number(_last_value(name, line))
        for name in _MODELS:
            model = model or _last_value(name, line).strip(b'"').decode("utf-8", "replace")
        if prompt and limits[_WINDOW]:
            break
    if not prompt:
        return None
    window = limits[_WINDOW] or (limits[_INPUT] and limits[_INPUT] + limits[_OUTPUT])
    earliest = limits[_INPUT] * _EARLIEST_SUMMARY // 100
    figures: dict[str, object] = {"used": prompt + answer, "model": model, "origin": ORIGIN}
    figures["window"] = window or None
    if earliest:
        figures["compacts_from"] = earliest
    return figures


def last_summary(path: str, since: int = 0) -> str:
    """Returns what names the last summary of a VS Code chat session, looked for behind the byte
    ``since``; "" for none.
    """
    try:
        size = os.stat(path).st_size if path else 0
    except OSError:
        return ""
    start = since if since <= size else 0  # a file that is shorter now was written anew
    for line in lines_backward(path, size - start + 1) if size > start else ():
        if any(name in line for name in _SUMMARIES):
            names = list(_summary_names(parse_record(line), _DEEPEST))
            if names:
                return names[-1]
    return ""


def _summary_names(value: object, levels: int) -> Iterator[str]:
    """Yields what names each summary in a record, in the order of the file."""
    inner = value.items() if isinstance(value, dict) else ()
    for key, item in inner if levels else ():
        if key == "summaries" and isinstance(item, list):
            yield from (str(inner_object(one).get("toolCallRoundId") or len(item)) for one in item)
        elif key == "summary" and (round_id := inner_object(item).get("toolCallRoundId")):
            yield str(round_id)
        else:
            yield from _summary_names(item, levels - 1)
    for item in value if isinstance(value, list) and levels else ():
        yield from _summary_names(item, levels - 1)


def _last_value(name: bytes, line: bytes) -> bytes:
    """Returns the beginning of the last value of that name in a line of JSON, b"" for none: a
    number or a short string as a whole.

    Within the text of a message its quotation marks would be escaped, so that it does not count.
    """
    quoted = b'"' + name + b'"'
    at = line.rfind(quoted)
    while at >= 0:
        rest = line[at + len(quoted) : at + len(quoted) + _MOST].lstrip()
        if rest[:1] == b":" and line[at - 1 : at] != b"\\":
            value = rest[1:].lstrip()
            end = value.find(b'"', 1) + 1 if value[:1] == b'"' else len(value)
            return value[:end]
        at = line.rfind(quoted, 0, at)
    return b""


def _to_number(value: bytes) -> int:
    """Returns the whole number that a value begins with, 0 for none."""
    size = 0
    while value[size : size + 1].isdigit() and size < _MOST_DIGITS:
        size += 1
    return int(value[:size]) if size else 0
