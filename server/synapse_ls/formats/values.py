"""Single values of the KEY=VALUE formats: words, booleans, counts, lists."""

from __future__ import annotations

import re

from synapse_ls.formats.problem import Problem, Text
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span, trim

TRUE = frozenset({"true", "yes", "1"})
"""What CARL v1 reads as true; every other word is false to it."""

DEVMODE_TRUE = TRUE | {"on"}
"""CARL v1 takes one word more for DEVMODE."""

_MEANT_TRUE = DEVMODE_TRUE | {"active", "enabled"}
_MEANT_FALSE = frozenset({"false", "no", "0", "off", "inactive", "disabled"})
_MAX_DIGITS = 12
_COMMENT = re.compile(r"(?:^|(?<=\s))#")
_PLACE = re.compile(r"[^,]+")
_LONG_COMMENT = re.compile(r"\s#\s")


def before_comment(value: Text) -> tuple[Text, Problem | None]:
    """A one-word value without a trailing ``# note``, which the formats do not know.

    To the reference readers the note is part of the value, so it is reported, and the word is read.
    """
    match = _COMMENT.search(value.value)
    if match is None:
        return value, None
    start = value.span.start
    comment = Span(start + match.start(), value.span.end)
    word = value.value[: match.start()].rstrip()
    problem = Problem(
        "inline-comment",
        comment,
        "There are no comments after a value: other readers take this note as part of it.",
        "Move the note to a line of its own.",
        (("value", word),),
    )
    return Text(word, Span(start, start + len(word))), problem


def comment_in_list(value: Text) -> Problem | None:
    """A list that seems to end in ``# note``. It is kept as written: ``#`` may be part of an item."""
    match = _LONG_COMMENT.search(value.value)
    if match is None:
        return None
    start = value.span.start + match.start() + 1
    return Problem(
        "inline-comment",
        Span(start, value.span.end),
        "There are no comments after a value, so this note is part of the list's items.",
        "Move the note to a line of its own.",
        (("value", value.value[: match.start()].rstrip()),),
    )


def read_bool(value: Text, true: frozenset[str] = TRUE) -> tuple[bool, Problem | None]:
    """``true`` or ``false`` in any case; any other spelling is read as CARL reads it, and reported."""
    word = value.value.lower()
    if word in ("true", "false"):
        return word == "true", None
    read, said = word in true, unquoted(word)
    near = nearest(said, ("true", "false"))
    meant = near or ("true" if said in _MEANT_TRUE else "false")
    known = said in _MEANT_TRUE | _MEANT_FALSE
    shown = f"`{value.value[:40]}`" if word else "An empty value"
    problem = Problem(
        "bad-boolean",
        value.span,
        f"{shown} is not a boolean; it is read as {str(read).lower()}.",
        f"Write `{meant}`.",
        reading(meant, str(read).lower(), near=bool(near), known=known),
    )
    return read, problem


def unquoted(word: str) -> str:
    """A word without the quotes that the formats do not know."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def reading(meant: str, read: str, *, near: bool, known: bool) -> tuple[tuple[str, str], ...]:
    """A problem's data for a word that is none of those allowed: what to write, and how it is read.

    near: the word is a slip of the suggestion. known: everybody knows what the word means.
    """
    data = [("suggestion", meant)]
    if near or known:
        data.append(("read_as", read))
    if known:
        data.append(("known", meant))
    return tuple(data)


def read_count(value: Text) -> tuple[int | None, Problem | None]:
    """A whole number from 1 up, or ``None`` and what is wrong."""
    word = value.value
    if word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS and int(word) > 0:
        return int(word), None
    problem = Problem(
        "bad-number",
        value.span,
        f"`{word[:40]}` is not a whole number above 0, so this trigger never fires.",
        "Write digits only, for example `10`.",
    )
    return None, problem


def split_list(text: str, value: Span) -> tuple[tuple[Text, ...], tuple[Span, ...]]:
    """The items of a comma list in ``text`` and its empty places, a run of them as one.

    The span of an empty place takes a comma in, so that deleting it mends the list. An empty value
    is an empty list without an empty place.
    """
    items: list[Text] = []
    gaps: list[Span] = []
    last = value.start  # where the place of the last item ends
    for place in _PLACE.finditer(text, value.start, value.end):
        span = trim(text, *place.span())
        if not span.length:
            continue
        if not items and place.start() > value.start:
            gaps.append(Span(value.start, place.start()))
        elif items and place.start() > last + 1:
            gaps.append(Span(last, place.start() - 1))
        items.append(Text(span.cut(text), span))
        last = place.end()
    if last < value.end:
        gaps.append(Span(last, value.end))
    return tuple(items), tuple(gaps)
