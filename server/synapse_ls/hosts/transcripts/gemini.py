"""Gemini CLI: what its session file says of the window and of hook replies.

``~/.gemini/tmp/{project}/chats/session-….jsonl``: messages by id, written again when they change,
``$set`` records that replace fields of the session (``messages`` after a compression), and
``$rewindTo`` records that take a message and all after it back.
"""

from __future__ import annotations

from synapse_ls.hosts import models
from synapse_ls.hosts.replies import bracketed
from synapse_ls.hosts.transcripts import arrival
from synapse_ls.hosts.transcripts.arrival import NOTHING, Sight, between
from synapse_ls.hosts.transcripts.tail import count, lines_backward, record, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Final

ORIGIN: Final = "Gemini CLI's session file"
SNAPSHOT: Final = "<state_snapshot>"  # how the summary begins that takes the place of a history


def usage(path: str) -> dict[str, object] | None:
    """Tokens in use and the window's size, from the last model call; None after a compression.

    Messages that a compression has kept tell what was in use before it. A session that goes on writes
    its history again, summary and all, at times without figures: a call above that counts if the same
    summary stands above the call.
    """
    latest: dict[str, object] | None = None
    summarized: object = None  # the id of the summary that the history begins with
    for found in _standing(lines_backward(path), b'"tokens"'):
        if (messages := replaced(found)) is not None:
            summary = summary_of(messages)
            name = summary.get("id") if summary else None
            if summarized is None:
                if call := _call_in(messages, summary):
                    return call
                if summary and name is None:
                    return None
                summarized = name
            elif len(messages) > 1 and name != summarized:
                return None
            elif name == summarized and latest:
                return latest
        elif call := _call(found):
            if summarized is None:
                return call
            latest = latest or call
    return None


def _call_in(messages: list[Any], summary: dict[str, Any] | None) -> dict[str, object] | None:
    """The last model call of a history, after its summary where it has one."""
    since = str(summary.get("timestamp")) if summary else ""
    for message in reversed(messages):
        call = _call(table(message))
        if call and str(table(message).get("timestamp")) >= since:
            return call
    return None


def _call(found: dict[str, Any]) -> dict[str, object] | None:
    used = used_of(found)
    if not used:
        return None
    model = model_of(found)
    window = models.window_of(model)
    size = models.raised(window, used, model) if window else None
    return {"used": used, "window": size, "model": model, "origin": ORIGIN}


def used_of(found: dict[str, Any]) -> int:
    """What the model call of a message was sent, in tokens, the cached ones included."""
    return count(table(found, "tokens").get("input")) if found.get("type") == "gemini" else 0


def model_of(found: dict[str, Any]) -> str:
    """The id of the model that a message names, or ""."""
    model = found.get("model")
    return model if isinstance(model, str) else ""


def replaced(found: dict[str, Any]) -> list[Any] | None:
    """The messages that a record puts in the place of all before it, or None."""
    messages = table(found, "$set").get("messages")
    return messages if isinstance(messages, list) and messages else None


def summary_of(messages: list[Any]) -> dict[str, Any] | None:
    """The message among the first ones that is the summary of a compression, or None."""
    first = (table(message) for message in messages[:4])
    return next((message for message in first if SNAPSHOT in text_of(message)), None)


def text_of(found: dict[str, Any]) -> str:
    """The text of a message, whose content is a text or a list of parts."""
    content = found.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    texts = (part if isinstance(part, str) else table(part).get("text") for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def _standing(lines: Iterable[bytes], *marks: bytes) -> Iterator[dict[str, Any]]:
    """The records from the last to the first, without the messages that were taken back.

    Of messages only those whose line has one of ``marks``.
    """
    telling = (*marks, b'"messages"', b'"$rewindTo"')
    until = ""
    for line in lines:
        if until:
            if until.encode("utf-8", "replace") in line and record(line).get("id") == until:
                until = ""
            continue
        if not any(mark in line for mark in telling):
            continue
        found = record(line)
        back = found.get("$rewindTo")
        if isinstance(back, str) and back:
            until = back
        elif found:
            yield found


def arrived(path: str, told: str, since: str = "") -> bool | None:
    """Whether the model was shown the reply whose `text_hash` is ``told`` (see `arrival`)."""
    lines = _standing(lines_backward(path), b'"user"', b'"gemini"')
    return arrival.arrived(lines, _look, told, since)


def _look(found: dict[str, Any]) -> Sight:
    time = found.get("timestamp")
    if found.get("type") == "user":
        return Sight(arrival.PROMPT, injected(text_of(found)), time)
    if found.get("type") == "gemini":
        return Sight(arrival.ANSWER, time=time)
    if (messages := replaced(found)) is not None:
        texts = tuple(text for part in messages for text in injected(text_of(table(part))))
        return Sight(arrival.BOUNDARY if summary_of(messages) else arrival.OTHER, texts)
    return NOTHING


def injected(text: str) -> tuple[str, ...]:
    """The texts of hooks in what the model was sent; the client has escaped their brackets."""
    found = between(text, "<hook_context>", "</hook_context>")
    return tuple(bracketed(unescape(part)) for part in found)


def unescape(text: str) -> str:
    """``text`` with the angle brackets that the client has escaped."""
    return text.replace("&lt;", "<").replace("&gt;", ">")
