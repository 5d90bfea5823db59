"""This module cuts a long text into parts of whole lines; after an edit it says which parts are the
same as before, so that only the others have to be read.

A part begins with an upper-case letter, as most lines with a key do: what goes on in the next line, such as an
indented one, stays in one part with that. The first part begins as the text does. Who reads the text may say where
else no part begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

CanBegin = Callable[[str, int], bool]
"""Whether a part of a text can begin at an offset, where a line begins with an upper-case letter."""

_LINES = 128  # of the shortest part that is cut off; an edit costs by these and, far less, by how many parts there are
_FEWEST = 32  # lines that are not worth a part of their own


class PartedText(NamedTuple):
    """A PartedText is a text in parts: so many of the ``former`` ones at its beginning (``kept_before``) and
    at its end (``kept_after``), and ``new`` ones between them.
    """

    kept_before: int
    new: tuple[str, ...]
    kept_after: int


def _can_always_begin(_text: str, _start: int) -> bool:
    return True


def part_text(
    text: str, former: Sequence[str] = (), can_begin: CanBegin = _can_always_begin
) -> PartedText:
    """Returns a text in parts; ``former`` are those of the text before an edit."""
    before, start = 0, 0
    for part in former:
        if not text.startswith(part, start):
            break
        before += 1
        start += len(part)
    after, end = 0, len(text)
    for part in reversed(former[max(before, 1) :]):
        if end - len(part) < start or not text.endswith(part, start, end):
            break
        after += 1
        end -= len(part)
    while after and not _begins_part(text, end, can_begin):  # the line above is another
        end += len(former[-after])
        after -= 1
    while before and (start < end or after + before < len(former)):
        # What is new begins as a part does, and is worth one; else it belongs to the one above.
        is_worth_one = text.count("\n", start, end) >= _FEWEST
        if is_worth_one and _begins_part(text, start, can_begin):
            break
        before -= 1
        start -= len(former[before])
    return PartedText(before, tuple(_cut_lines(text[start:end], can_begin)), after)


def _begins_part(text: str, start: int, can_begin: CanBegin) -> bool:
    return (
        text[start - 1 : start] in ("", "\n")
        and "A" <= text[start : start + 1] <= "Z"
        and can_begin(text, start)
    )


def _cut_lines(text: str, can_begin: CanBegin) -> list[str]:
    """Returns a text in parts of at least `_LINES` lines, each of which begins as a part does."""
    parts: list[str] = []
    begun, count, left = 0, 0, text.count("\n")
    place = text.find("\n") + 1
    while left > _LINES:
        count, left = count + 1, left - 1
        if count >= _LINES and _begins_part(text, place, can_begin):
            parts.append(text[begun:place])
            begun, count = place, 0
        place = text.find("\n", place) + 1
    return [*parts, text[begun:]] if begun < len(text) else parts
