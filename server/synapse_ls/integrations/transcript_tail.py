"""Read the last lines of a growing transcript, and find whether a hook's reply is still in context.

Transcripts grow to hundreds of megabytes, and the wanted lines are near the end, but one turn may
leave dozens of very long lines. So reading begins small and widens until the caller is satisfied.
"""

from __future__ import annotations

import os

from synapse_ls.text.digest import hash_text
from synapse_ls.text.fast_json import loads
from synapse_ls.workspace.regular_files import open_descriptor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any, Final

    Record = dict[str, Any]
    Records = Iterator[Record]
    Lines = Iterable[bytes]
    Line = Any  # bytes, or what a format has made of them
    Usage = dict[str, object]
else:
    # For the annotations of readers, which have no use for `typing` while a client waits.
    Record = Records = Lines = Line = Usage = object

# Bytes of the first read, from the end; each next one is twice as long …
FIRST_READ: Final = 16_384
WIDEST_READ: Final = 1_048_576  # … up to this
DEEPEST_READ: Final = 8_388_608  # bytes after which an older record says nothing about now
DEEPEST_BRANCH: Final = 67_108_864  # bytes that are read back for a message that was rewound
LONGEST_LINE: Final = 4_194_304  # bytes of a line that is given; a longer one is passed over

read = os.read  # the one place where bytes come in


def file_size(path: str) -> int:
    """Return the size of a transcript that a client is writing, in bytes, 0 where there is none."""
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0


def is_same_file(path: str, other: str) -> bool:
    """Return whether two paths are those of one session's transcript: a client that enters another
    work tree moves its file to the folder of that, and one that resumes a session may begin a file
    with another time in its name.
    """
    ends = [os.path.basename(name).rpartition("-")[2] for name in (path, other)]
    return ends[0] == ends[1]


def lines_backward(
    path: str, deepest: int = DEEPEST_READ, end: int | None = None
) -> Iterator[bytes]:
    """Yield the lines of a transcript from the last to the first, the empty ones left out.

    The last line may be half written. What is no regular file, or cannot be read, has no
    lines. Only the last ``deepest`` bytes are read; the line that is cut there is left out. end:
    the byte before which reading begins, None for the end of the file.
    """
    try:
        descriptor = open_descriptor(path)
    except OSError:
        return
    try:
        size = os.fstat(descriptor).st_size
        size = size if end is None else min(size, end)
        yield from _split_backward(descriptor, size, max(0, size - deepest))
    except OSError:
        return
    finally:
        os.close(descriptor)


def _split_backward(descriptor: int, start: int, stop: int) -> Iterator[bytes]:
    step = FIRST_READ
    behind: list[bytes] = []  # the pieces of the line that begins further up, the last piece first
    length = 0
    while start > stop:
        step, size = min(2 * step, WIDEST_READ), min(step, start - stop)
        start -= size
        # Return `size` bytes from `start`, fewer where the file has been cut meanwhile.
        os.lseek(descriptor, start, os.SEEK_SET)
        data = read(descriptor, size)
        while len(data) < size and (more := read(descriptor, size - len(data))):
            data += more
        piece, *lines = data.split(b"\n")
        if lines:
            last = lines.pop()
            if length + len(last) <= LONGEST_LINE:
                behind.append(last)
                yield from _join_pieces(behind)
            yield from filter(None, reversed(lines))
            behind, length = [], 0
        length += len(piece)
        if length > LONGEST_LINE:
            behind.clear()
        else:
            behind.append(piece)
    if start == 0:
        yield from _join_pieces(behind)


def _join_pieces(pieces: list[bytes]) -> Iterator[bytes]:
    if line := b"".join(reversed(pieces)):
        yield line


def first_record(path: str) -> dict[str, Any]:
    """Return the record in the first line of a transcript, an empty one for none."""
    try:
        descriptor = open_descriptor(path)
    except OSError:
        return {}
    try:
        data = read(descriptor, FIRST_READ)
        if b"\n" not in data:
            data += read(descriptor, WIDEST_READ)
        return parse_record(data.partition(b"\n")[0])
    except OSError:
        return {}
    finally:
        os.close(descriptor)


def parse_record(line: bytes) -> dict[str, Any]:
    """Return the record that a line at the tail of a transcript holds; an empty one where it holds
    anything else.
    """
    try:
        value = loads(line.decode("utf-8", "replace"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def inner_object(holder: object, *names: str) -> dict[str, Any]:
    """Return the object inside a record at the tail of a transcript under ``names``, one within the
    other; empty where there is none.
    """
    for name in names:
        holder = holder.get(name) if isinstance(holder, dict) else None
    return holder if isinstance(holder, dict) else {}


def object_items(value: object) -> list[dict[str, Any]]:
    """Return the items of a list as objects, empty ones in the place of anything else."""
    return [inner_object(item) for item in value] if isinstance(value, list) else []


def string_value(value: object) -> str:
    """Return a value of a transcript where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def token_count(value: object) -> int:
    """Return a value at the tail of a transcript as a number of tokens: 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


# Where a transcript whose messages form a tree has the text of a hook.
ON_BRANCH: Final = "on-branch"  # on the branch that leads to the newest message
OFF_BRANCH: Final = "off-branch"  # on another one: it was cancelled, or rewound
UNSETTLED: Final = "unsettled"  # with a last prompt that has no answer, and may have been cancelled
GONE: Final = "gone"  # nowhere any more, though newer messages are there

ANY_TIME: Final = "~"  # later than every time


class Branch:
    """What a transcript shows of the branch of a conversation that leads to its newest message.

    texts: (hash, time, place) of the texts of hooks that were looked for, the newest first. newest:
    id of the newest message that stays whatever becomes of a prompt without an answer, "" for none.
    last: id of the newest message of all, "" where it is that one. answered: when the model
    answered last, or "". has_turn: whether the turn that was asked for has an answer on it.
    compacted: when the summary was made that stands in the place of what came before, or "";
    dropped: when the newest one of another branch was, `ANY_TIME` where the branch is known as far
    as the last summary on it, so that a later one is gone. whole_since: from when on a reply that
    is not among the texts does not stand, None for never. lost: from when to when ("" for open)
    prompts were sent of which nothing is known but what is among the texts, and the place that the
    rest has, `OFF_BRANCH` or `UNSETTLED`. forked_from: id of the session whose messages it begins
    with, where only they say so, or "".
    """

    def __init__(self) -> None:
        self.texts: list[tuple[str, str, str]] = []
        self.lost: list[tuple[str, str, str]] = []
        self.newest = self.last = self.forked_from = ""
        self.answered = self.compacted = self.dropped = ""
        self.has_turn = False
        self.whole_since: str | None = None


# Kinds of rows of a transcript that has the live conversation in order. What a person undid is
# marked or missing; the client's module yields the remaining rows.
MESSAGE_ROW: Final = 0
ANSWER_ROW: Final = 1  # the model replied, in the main conversation
COMPACTION_ROW: Final = 2  # what stands before this is no longer in the window
PROMPT_ROW: Final = 3  # a message of a person, for a client whose undo goes back to one
LOST_ROW: Final = 4  # what stands before this is in the window, and not shown any more


class Row:
    """A message of the live conversation, or the start of it.

    identity: what names the message, "" where nothing does. texts: those that hooks have put there.
    time: as the client writes it, ISO 8601 in UTC, or "".
    """

    def __init__(
        self, kind: int, identity: object = "", texts: Iterable[str] = (), time: object = ""
    ) -> None:
        self.kind = kind
        self.identity = identity if isinstance(identity, str) else ""
        self.texts = texts
        self.time = time if isinstance(time, str) else ""


def read_rows(rows: Iterable[Row], hashes: Collection[str], newest: str = "") -> Branch:
    """Return what the live rows of a conversation, the newest first, show of replies.

    hashes: `hash_text` of the replies that are looked for. newest: identity of the newest message
    when somebody looked before, "" for never; what stands up to it is not looked at again.
    """
    branch = Branch()
    branch.has_turn = True
    for row in rows:
        branch.whole_since = row.time
        if row.kind == LOST_ROW:
            return branch
        if newest and row.identity == newest:
            branch.newest = branch.newest or newest
            return branch
        if row.kind == COMPACTION_ROW:
            branch.compacted, branch.dropped = row.time, ANY_TIME
            return branch
        branch.newest = branch.newest or row.identity
        if row.kind == ANSWER_ROW:
            branch.answered = branch.answered or row.time
        for identity in sought_hashes(row.texts, hashes):
            branch.texts.append((identity, row.time, ON_BRANCH))
    if branch.whole_since is not None:
        branch.whole_since, branch.dropped = "", ANY_TIME
    return branch


def sought_hashes(texts: Iterable[str], hashes: Collection[str]) -> list[str]:
    """Return those of ``hashes`` that are of what one of the texts may have been: clients trim it,
    and join it with that of other hooks.
    """
    possible: list[str] = []
    for text in texts:
        trimmed = text.strip()
        variants = [text, trimmed] if trimmed != text else [text]
        possible += map(hash_text, (*variants, *_block_texts(trimmed)))
    return [identity for identity in possible if identity in hashes]


def _block_texts(text: str) -> Iterator[str]:
    """Yield each part of ``text`` from a line ``<name>`` to the next line ``</name>``."""
    start = 0
    while (start := text.find("<", start)) >= 0:
        if (close := text.find(">", start)) < 0:
            return
        name = text[start + 1 : close]
        ends = f"</{name}>"
        if (
            text[max(0, start - 1) : start] in ("", "\n")
            and 0 < len(name) <= 40
            and name.replace("-", "").replace("_", "").isalnum()
            and (end := text.find("\n" + ends, close)) >= 0
        ):
            end += 1 + len(ends)
            if start or end < len(text):
                yield text[start:end]
            start = end
            continue
        start = close


def texts_between(text: str, opening: str, closing: str) -> Iterator[str]:
    """Yield the texts that may be a hook's reply in a transcript's line: what stands between each
    pair of marks.
    """
    at = 0
    while (start := text.find(opening, at)) >= 0:
        start += len(opening)
        if (end := text.find(closing, start)) < 0:
            return
        yield text[start:end]
        at = end + len(closing)
