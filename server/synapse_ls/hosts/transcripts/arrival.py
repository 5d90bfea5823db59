"""Whether a transcript shows that the reply of a hook came before the model."""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Final

    Line = Any  # bytes, or what a format has made of them

OTHER: Final = 0
PROMPT: Final = 1  # somebody asked
ANSWER: Final = 2  # the model replied, in the main conversation
BOUNDARY: Final = 3  # what stands before this is no longer in the window


class Sight:
    """One line of a transcript: what it is, the texts that hooks put there, and when.

    time: as the client writes it, ISO 8601 in UTC, or "".
    """

    __slots__ = ("kind", "texts", "time")

    def __init__(self, kind: int, texts: tuple[str, ...] = (), time: object = "") -> None:
        self.kind = kind
        self.texts = texts
        self.time = time if isinstance(time, str) else ""


NOTHING: Final = Sight(OTHER)


def arrived(
    lines: Iterable[Line], look: Callable[[Line], Sight], told: str, since: str = ""
) -> bool | None:
    """Whether the lines, the last one first, show the text whose `text_hash` is ``told``.

    False needs a prompt that was answered without it; where there is none, the transcript cannot
    tell (None). ``since`` is when it was told, in the client's own spelling of times: what is
    older neither shows it nor disproves it.
    """
    answered = whole = False
    for line in lines:
        sight = look(line)
        if since and sight.time and sight.time < since:
            whole = answered
            break
        if any(hash == told for text in sight.texts for hash in _hashes(text)):
            return True
        if sight.kind == BOUNDARY:
            whole = whole or answered
            break
        if sight.kind == ANSWER:
            answered = True
        elif sight.kind == PROMPT and answered:
            whole = True
    return False if whole else None


def _hashes(text: str) -> Iterator[str]:
    """What ``text`` may have been: clients trim it, and join it with that of other hooks."""
    yield text_hash(text)
    trimmed = text.strip()
    if trimmed != text:
        yield text_hash(trimmed)
    for block in _blocks(trimmed):
        yield text_hash(block)


def _blocks(text: str) -> Iterator[str]:
    """Each part of ``text`` from a line ``<name>`` to the next line ``</name>``."""
    start = 0
    while (start := text.find("<", start)) >= 0:
        close = text.find(">", start)
        if close < 0:
            return
        name = text[start + 1 : close]
        ends = f"</{name}>"
        if text[max(0, start - 1) : start] in ("", "\n") and _is_name(name):
            end = text.find("\n" + ends, close)
            if end >= 0:
                end += 1 + len(ends)
                if start or end < len(text):
                    yield text[start:end]
                start = end
                continue
        start = close


def _is_name(name: str) -> bool:
    return 0 < len(name) <= 40 and name.replace("-", "").replace("_", "").isalnum()


def between(text: str, opening: str, closing: str) -> Iterator[str]:
    """What stands between each pair of marks."""
    at = 0
    while (start := text.find(opening, at)) >= 0:
        start += len(opening)
        end = text.find(closing, start)
        if end < 0:
            return
        yield text[start:end]
        at = end + len(closing)
