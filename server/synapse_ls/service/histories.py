"""The history of a conversation from wherever it is kept: a client's transcript, or a list of messages.

Transcripts of Claude Code, Codex and Gemini CLI are recognised by what is in them; all else is JSON or
JSON lines with messages as Anthropic or OpenAI have them, or the body of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from synapse_ls.compaction.errors import ShapeError
from synapse_ls.compaction.message import Message, ToolDefinition
from synapse_ls.compaction.shapes.adapter import read_request, write_messages, write_request
from synapse_ls.compaction.shapes.reading import read_message
from synapse_ls.hosts.transcripts.history.reading import lines_of
from synapse_ls.hosts.transcripts.registry import HEAD, recognise
from synapse_ls.service.errors import ServiceError
from synapse_ls.text.json import JsonError, dumps, loads
from synapse_ls.text.lazy import load

CLIENTS = ("claude", "codex", "gemini")
"""The clients whose transcripts have whole messages: modules of `hosts.transcripts.messages`."""

LONGEST = 268_435_456  # bytes of a line that is read: pictures are written into it
REMEDY = "Give a transcript of Claude Code, Codex or Gemini CLI, or messages as JSON or JSON lines."

Tell = Callable[[int], None]


class History(NamedTuple):
    """Messages, and where they are from.

    kind: the client that wrote the transcript, else "json" or "json-lines". body: the request that the
    messages stood in, None for a list or a transcript.
    """

    messages: list[Message]
    tools: list[ToolDefinition]
    kind: str
    body: Mapping[str, Any] | None = None

    def written(self, messages: list[Message], shape: str = "") -> str:
        """Other messages in the place of these, as JSON in the manner of what was read."""
        if self.kind == "json-lines":
            return "".join(dumps(item, None) + "\n" for item in write_messages(messages, shape))
        return dumps(write_request(messages, self.body, shape)) + "\n"


def read(stream: BinaryIO, name: str, tell: Tell = lambda _: None) -> History:
    """The history in a stream of bytes, called ``name`` where something is wrong with it.

    It is read line by line; ``tell`` is given the bytes of each. Raises ServiceError.
    """
    head: list[bytes] = []
    size = 0
    lines = _told(lines_of(stream, LONGEST), tell)
    for line in lines:
        head.append(line)
        size += len(line)
        if size >= HEAD:
            break
    reader = recognise(b"".join(head))
    every = chain(head, lines)
    if reader is None:
        return _listed(every, name)
    if reader.NAME not in CLIENTS:
        raise ServiceError(
            f"{name} is a transcript of {reader.NAME}, which has no whole messages.", REMEDY
        )
    return _told_by(reader.NAME, every)


def of(data: object, name: str) -> History:
    """The history in decoded JSON. Raises ServiceError."""
    try:
        messages, tools, body = read_request(data)
    except ShapeError as error:
        raise _refused(name, str(error)) from error
    return History(messages, tools, "json", body)


def _told_by(client: str, lines: Iterable[bytes]) -> History:
    messages = load(f"synapse_ls.hosts.transcripts.messages.{client}").messages(lines)
    return History(messages, [], client)


def _told(lines: Iterable[bytes], tell: Tell) -> Iterator[bytes]:
    for line in lines:
        tell(len(line))
        yield line


def _listed(lines: Iterable[bytes], name: str) -> History:
    """Messages a line each where the first line is one, else the whole as one document.

    Gemini CLI once wrote a session as such a document.
    """
    found = iter(lines)
    before: list[bytes] = []
    for line in found:
        if line.strip(b"\xef\xbb\xbf \t\r\n"):
            first = _decoded(line)
            if isinstance(first, dict) and ("role" in first or "type" in first):
                return History(_each(chain([line], found), len(before), name), [], "json-lines")
            data = b"".join((line, *found))
            document = _whole(data, len(before), name)
            if isinstance(document, dict):
                record = b" ".join(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
                reader = recognise(record)
                if reader is not None and reader.NAME in CLIENTS:
                    return _told_by(reader.NAME, [record])
            return of(document, name)
        before.append(line)
    raise ServiceError(f"There is nothing in {name}.", REMEDY)


def _each(lines: Iterable[bytes], before: int, name: str) -> list[Message]:
    messages: list[Message] = []
    for number, line in enumerate(lines, before + 1):
        if not line.strip():
            continue
        item = _decoded(line)
        if item is None:
            raise _refused(f"{name}:{number}", "the line is no JSON object")
        try:
            messages.append(read_message(item, len(messages) + 1))
        except ShapeError as error:
            raise _refused(f"{name}:{number}", str(error)) from error
    return messages


def _decoded(line: bytes) -> object:
    try:
        return loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _whole(data: bytes, before: int, name: str) -> object:
    document = data.decode("utf-8-sig", "replace")
    try:
        return loads(document)
    except JsonError as error:
        line = before + document.count("\n", 0, error.offset) + 1
        raise _refused(f"{name}:{line}", "this is no JSON") from error
    except RecursionError as error:
        raise _refused(name, "it is nested too deeply") from error


def _refused(place: str, what: str) -> ServiceError:
    return ServiceError(f"There is no history in {place}: {what}.", REMEDY)
