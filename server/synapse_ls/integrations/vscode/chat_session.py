"""This module reads the file in which VS Code keeps a chat: how much of the model's window is in
use, and whether the chat was summarised.

``…/workspaceStorage/{id}/chatSessions/{session}.jsonl``, two folders above the transcript that hooks are
told of, is a log of changes to the chat. The result of a request names ``promptTokens``, the limits of
the model, and after a compaction ``summaries``, each with the round that it ends with. Earlier versions
wrote one ``.json``. Both are searched from their end for these names, whatever stands around them.

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
_USED: Final = b"promptTokens"
_WINDOWS: Final = (b"maxInputTokens", b"maxContextWindowTokens")
_MODELS: Final = (b"resolvedModel", b"modelId")
_SUMMARIES: Final = b"summaries"
_MOST: Final = 200  # bytes of a value that are looked at
_MOST_DIGITS: Final = 9
_DEEPEST: Final = (
    12  # levels of a record in which summaries are looked for; they stand in the seventh
)
_MODEL: Final = rb'(?<!\\)"(?:modelId|resolvedModel)"\s*:\s*"([^"\\]{1,100})"'


def chat_file(transcript: str, session_id: str) -> str:
    """Returns the path of the file of a chat, "" where there is none."""
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
    """Returns the tokens that the last answer was made of, and the limit of its model; None where the
    file does not say.
    """
    used = 0
    limits = dict.fromkeys(_WINDOWS, 0)
    model = ""
    for line in lines_backward(path) if path else ():
        used = used or _to_number(_last_value(_USED, line))
        for name, known in limits.items():
            limits[name] = known or _to_number(_last_value(name, line))
        for name in _MODELS:
            model = model or _last_value(name, line).strip(b'"').decode("utf-8", "replace")
        if used and limits[_WINDOWS[0]]:
            break
    if not used:
        return None
    # What the model takes in is what the chat's own gauge counts by, wherever the other limit stands.
    window = next(filter(None, limits.values()), None)
    return {"used": used, "window": window, "model": model, "origin": ORIGIN}


def last_summary(path: str, since: int = 0) -> str:
    """Returns what names the last summary of a chat, looked for behind the byte ``since``; "" for
    none.
    """
    try:
        size = os.stat(path).st_size if path else 0
    except OSError:
        return ""
    start = since if since <= size else 0  # a file that is shorter now was written anew
    for line in lines_backward(path, size - start + 1) if size > start else ():
        if _last_value(_SUMMARIES, line):
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
        else:
            yield from _summary_names(item, levels - 1)
    for item in value if isinstance(value, list) and levels else ():
        yield from _summary_names(item, levels - 1)


def _last_value(name: bytes, line: bytes) -> bytes:
    """Returns the beginning of the last value of that name in a line of JSON, b"" for none: a number or
    a short string as a whole.

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
