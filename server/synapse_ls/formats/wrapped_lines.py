"""Tell a line that an editor broke at its margin from one that ends where its author ended it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import east_asian_width

WRAP_COLUMNS = 60
"""A narrower line is never taken for one that was wrapped."""

LIST_MARK = re.compile(
    r"(?:[•‣◦▪–][ \t]+|[・●○■◆①-⑳][ \t\u3000]*|[０-９]{1,9}[．.）)][ \t\u3000]*)(?=\S)"
)
"""What opens a list item beside the marks of Markdown: bullets, dashes, and the numbers of Japanese."""

_SENTENCE_ENDS = frozenset(".!?:;…。！？：；")
_CLOSING = ")]}\"'`*_»”’」』）"
_HARD_BREAKS = ("  ", "\\")


def column_count(text: str) -> int:
    """Return how many columns of an editor a line takes that may be wrapped; wide letters of East
    Asia take two.
    """
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def ends_sentence(text: str) -> bool:
    """Return whether a line that may be wrapped ends as a sentence does."""
    return text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS


def begins_sentence(text: str) -> bool:
    """Return whether a line behind one that may be wrapped begins as a sentence does: with a
    capital, in scripts that have them.
    """
    first = next(filter(str.isalpha, text), "")
    return first.isupper() or first.istitle()


def split_paragraph(lines: Sequence[str]) -> list[int]:
    """Return the places in a paragraph of wrapped lines at which a text of its own begins, 0 first.

    A paragraph is one text where it is wrapped throughout: each line but the last is wide, and one
    of them breaks a sentence off. Elsewhere a line goes on with the one above it only where it
    breaks a sentence off, too, and never where it has the mark of a list; whoever begins no line
    with a capital is understood only by wide lines. Two spaces or a backslash at the end of a line
    break it (CommonMark 6.7).
    """
    bare = [line.strip() for line in lines]
    small = not begins_sentence(bare[0])
    wide = [column_count(line) >= WRAP_COLUMNS for line in bare]
    goes_on = [
        number
        for number in range(1, len(bare))
        if not lines[number - 1].endswith(_HARD_BREAKS)
        and not ends_sentence(bare[number - 1])
        and not (begins_sentence(bare[number]) or LIST_MARK.match(bare[number]))
        and (wide[number - 1] or not small)
    ]
    if goes_on and all(wide[:-1]):
        return [0]
    return [number for number in range(len(bare)) if number not in goes_on]
