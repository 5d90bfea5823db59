"""This module finds out whether a transcript shows that the reply of a hook came before the
model, and still stands there.
"""

from __future__ import annotations

from synapse_ls.engine.text_identity import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Final

    RawLine = Any  # bytes, or what a format has made of them

OTHER_LINE: Final = 0
PROMPT_LINE: Final = 1  # somebody asked
ANSWER_LINE: Final = 2  # the model replied, in the main conversation
COMPACTION_LINE: Final = 3  # what stands before this is no longer in the window


class TranscriptLine:
    """A TranscriptLine is a line of a transcript that may be evidence of a reply: what kind it is,
    the texts that hooks put there, and when.

    time: as the client writes it, ISO 8601 in UTC, or "".
    """

    __slots__ = ("kind", "texts", "time")

    def __init__(self, kind: int, texts: tuple[str, ...] = (), time: object = "") -> None:
        self.kind = kind
        self.texts = texts
        self.time = time if isinstance(time, str) else ""


EMPTY_LINE: Final = TranscriptLine(OTHER_LINE)

# Where a transcript whose messages form a tree has the text of a hook.
ON_BRANCH: Final = "on-branch"  # on the branch that leads to the newest message
OFF_BRANCH: Final = "off-branch"  # on another one: it was cancelled, or rewound
UNSETTLED: Final = "unsettled"  # with a last prompt that has no answer, and may have been cancelled


class Branch:
    """A Branch is what a transcript shows of the branch of a conversation that leads to its newest
    message.

    texts: (hash, time, place) of the texts of hooks that were looked for, the newest first. newest:
    id of the newest message that stays whatever becomes of a prompt without an answer, "" for none.
    answered: when the model answered last, or "". is_other: whether the message that was the newest
    before is not on it. is_compacted: whether a summary stands in the place of that message and of
    what came before. has_turn: whether the turn that was asked for has an answer on it.
    """

    __slots__ = ("answered", "has_turn", "is_compacted", "is_other", "newest", "texts")

    def __init__(self) -> None:
        self.texts: list[tuple[str, str, str]] = []
        self.newest = ""
        self.answered = ""
        self.is_other = False
        self.is_compacted = False
        self.has_turn = False


def find_reply(
    lines: Iterable[RawLine],
    classify_line: Callable[[RawLine], TranscriptLine],
    reply_hash: str,
    since: str = "",
) -> bool | None:
    """Tells whether the lines of a transcript, the last one first, show the reply whose `hash_text`
    is ``reply_hash``.

    False needs a prompt that was answered without it; where there is none, the transcript
    cannot tell (None). ``since`` is when it was said, in the client's own spelling of times:
    what is older neither shows it nor disproves it.
    """
    answered = whole = False
    for line in lines:
        sight = classify_line(line)
        if since and sight.time and sight.time < since:
            whole = answered
            break
        if any(hash == reply_hash for text in sight.texts for hash in possible_hashes(text)):
            return True
        if sight.kind == COMPACTION_LINE:
            whole = whole or answered
            break
        if sight.kind == ANSWER_LINE:
            answered = True
        elif sight.kind == PROMPT_LINE and answered:
            whole = True
    return False if whole else None


def possible_hashes(text: str) -> Iterator[str]:
    """Yields the hashes of what ``text`` may have been: clients trim it, and join it with that
    of other hooks.
    """
    yield hash_text(text)
    trimmed = text.strip()
    if trimmed != text:
        yield hash_text(trimmed)
    for block in _block_texts(trimmed):
        yield hash_text(block)


def _block_texts(text: str) -> Iterator[str]:
    """Yields each part of ``text`` from a line ``<name>`` to the next line ``</name>``."""
    start = 0
    while (start := text.find("<", start)) >= 0:
        close = text.find(">", start)
        if close < 0:
            return
        name = text[start + 1 : close]
        ends = f"</{name}>"
        if text[max(0, start - 1) : start] in ("", "\n") and _is_tag_name(name):
            end = text.find("\n" + ends, close)
            if end >= 0:
                end += 1 + len(ends)
                if start or end < len(text):
                    yield text[start:end]
                start = end
                continue
        start = close


def _is_tag_name(name: str) -> bool:
    return 0 < len(name) <= 40 and name.replace("-", "").replace("_", "").isalnum()


def texts_between(text: str, opening: str, closing: str) -> Iterator[str]:
    """Yields the texts that may be a hook's reply in a transcript's line: what stands between each
    pair of marks.
    """
    at = 0
    while (start := text.find(opening, at)) >= 0:
        start += len(opening)
        end = text.find(closing, start)
        if end < 0:
            return
        yield text[start:end]
        at = end + len(closing)
