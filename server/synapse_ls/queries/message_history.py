"""This module reads the message history of a conversation from wherever it is kept: a client's
transcript, or a list of messages.

Transcripts of Claude Code, Codex and Gemini CLI are recognised by what is in them; all else is JSON
or JSON lines with messages as Anthropic or OpenAI have them, or the body of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from synapse_ls.compaction.compaction_errors import ShapeError
from synapse_ls.compaction.message import Message, ToolDefinition
from synapse_ls.compaction.shapes.conversation_formats import (
    read_request,
    write_messages,
    write_request,
)
from synapse_ls.compaction.shapes.message_reader import read_message
from synapse_ls.integrations.transcript_formats import HEAD_BYTES, find_reader
from synapse_ls.integrations.turn_reader import read_lines
from synapse_ls.storage.user_error import UserError
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.lazy_import import load_module

CLIENTS = ("claude", "codex", "gemini")
"""The clients whose transcripts have whole messages: `integrations.CLIENT.messages`."""

MAX_LINE_BYTES = 268_435_456  # bytes of a line that is read: pictures are written into it
HISTORY_REMEDY = (
    "Give a transcript of Claude Code, Codex or Gemini CLI, or messages as JSON or JSON lines."
)

ProgressCallback = Callable[[int], None]


class MessageHistory(NamedTuple):
    """A MessageHistory has the messages of a conversation, and where they are from.

    kind: the client that wrote the transcript, else "json" or "json-lines". body: the request that
    the messages stood in, None for a list or a transcript.
    """

    messages: list[Message]
    tools: list[ToolDefinition]
    kind: str
    body: Mapping[str, Any] | None = None

    def to_json(self, messages: list[Message], shape: str = "") -> str:
        """Returns other messages in the place of these, as JSON in the manner of what was read."""
        if self.kind == "json-lines":
            return "".join(dumps(item, None) + "\n" for item in write_messages(messages, shape))
        return dumps(write_request(messages, self.body, shape)) + "\n"


def read_history(
    stream: BinaryIO, name: str, on_progress: ProgressCallback = lambda _: None
) -> MessageHistory:
    """Returns the message history in a stream of bytes, called ``name`` where something is wrong
    with it.

    It is read line by line; ``on_progress`` is given the bytes of each. Raises UserError.
    """
    head: list[bytes] = []
    size = 0
    lines = _count_lines(read_lines(stream, MAX_LINE_BYTES), on_progress)
    for line in lines:
        head.append(line)
        size += len(line)
        if size >= HEAD_BYTES:
            break
    reader = find_reader(b"".join(head))
    every = chain(head, lines)
    if reader is None:
        return _read_messages(every, name)
    if reader.NAME not in CLIENTS:
        raise UserError(
            f"{name} is a transcript of {reader.NAME}, which has no whole messages.", HISTORY_REMEDY
        )
    return _read_transcript(reader.NAME, every)


def history_from_json(data: object, name: str) -> MessageHistory:
    """Returns the message history in decoded JSON. Raises UserError."""
    try:
        messages, tools, body = read_request(data)
    except ShapeError as error:
        raise _no_history_error(name, str(error)) from error
    return MessageHistory(messages, tools, "json", body)


def _read_transcript(client: str, lines: Iterable[bytes]) -> MessageHistory:
    messages = load_module(f"synapse_ls.integrations.{client}.messages").read_messages(lines)
    return MessageHistory(messages, [], client)


def _count_lines(lines: Iterable[bytes], on_progress: ProgressCallback) -> Iterator[bytes]:
    for line in lines:
        on_progress(len(line))
        yield line


def _read_messages(lines: Iterable[bytes], name: str) -> MessageHistory:
    """Reads messages a line each where the first line is one, else the whole as one document.

    Gemini CLI once wrote a session as such a document.
    """
    found = iter(lines)
    before: list[bytes] = []
    for line in found:
        if line.strip(b"\xef\xbb\xbf \t\r\n"):
            first = _decode_line(line)
            if isinstance(first, dict) and ("role" in first or "type" in first):
                return MessageHistory(
                    _read_json_lines(chain([line], found), len(before), name), [], "json-lines"
                )
            data = b"".join((line, *found))
            document = _decode_document(data, len(before), name)
            if isinstance(document, dict):
                record = b" ".join(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
                reader = find_reader(record)
                if reader is not None and reader.NAME in CLIENTS:
                    return _read_transcript(reader.NAME, [record])
            return history_from_json(document, name)
        before.append(line)
    raise UserError(f"There is nothing in {name}.", HISTORY_REMEDY)


def _read_json_lines(lines: Iterable[bytes], before: int, name: str) -> list[Message]:
    messages: list[Message] = []
    for number, line in enumerate(lines, before + 1):
        if not line.strip():
            continue
        item = _decode_line(line)
        if item is None:
            raise _no_history_error(f"{name}:{number}", "the line is no JSON object")
        try:
            messages.append(read_message(item, len(messages) + 1))
        except ShapeError as error:
            raise _no_history_error(f"{name}:{number}", str(error)) from error
    return messages


def _decode_line(line: bytes) -> object:
    try:
        return loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _decode_document(data: bytes, before: int, name: str) -> object:
    document = data.decode("utf-8-sig", "replace")
    try:
        return loads(document)
    except JsonError as error:
        line = before + document.count("\n", 0, error.offset) + 1
        raise _no_history_error(f"{name}:{line}", "this is no JSON") from error
    except RecursionError as error:
        raise _no_history_error(name, "it is nested too deeply") from error


def _no_history_error(place: str, what: str) -> UserError:
    return UserError(f"There is no history in {place}: {what}.", HISTORY_REMEDY)
