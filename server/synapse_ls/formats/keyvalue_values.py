"""Parse single values of the KEY=VALUE formats: words, booleans, counts, lists."""

from __future__ import annotations

import re

from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span, new_tuple, trim_span

TRUE = frozenset({"true", "yes", "1"})
"""What CARL v1 reads as true; every other word is false to it."""

DEVMODE_TRUE = TRUE | {"on"}
"""CARL v1 takes one word more for DEVMODE."""

_TRUE_LIKE = DEVMODE_TRUE | {"active", "enabled"}
_FALSE_LIKE = frozenset({"false", "no", "0", "off", "inactive", "disabled"})
_MAX_DIGITS = 12
_COMMENT = re.compile(r"(?:^|(?<=\s))#")
_LIST_ITEM = re.compile(r"[^,]+")
_LONG_COMMENT = re.compile(r"\s#\s")


def split_comment(value: Text) -> tuple[Text, Finding | None]:
    """Return a one-word value of KEY=VALUE without a trailing ``# note``, which the formats do not
    know, and the problem of the note.

    To the reference readers the note is part of the value, so it is reported, and the word is
    read.
    """
    match = _COMMENT.search(value.value)
    if match is None:
        return value, None
    start = value.span.start
    comment = Span(start + match.start(), value.span.end)
    word = value.value[: match.start()].rstrip()
    problem = Finding(
        comment,
        "There are no comments after a value: other readers take this note as part of it.",
        "Move the note to a line of its own.",
        kind="inline-comment",
        data=(("value", word),),
    )
    return Text(word, Span(start, start + len(word))), problem


def list_comment_problem(value: Text) -> Finding | None:
    """Return the problem of a KEY=VALUE value, a list, that seems to end in ``# note``. It is kept
    as written: ``#`` may be part of an item.
    """
    match = _LONG_COMMENT.search(value.value)
    if match is None:
        return None
    start = value.span.start + match.start() + 1
    return Finding(
        Span(start, value.span.end),
        "There are no comments after a value, so this note is part of the list's items.",
        "Move the note to a line of its own.",
        kind="inline-comment",
        data=(("value", value.value[: match.start()].rstrip()),),
    )


def read_bool(value: Text, true: frozenset[str] = TRUE) -> tuple[bool, Finding | None]:
    """Read a KEY=VALUE value that is ``true`` or ``false`` in any case; any other spelling is read
    as CARL reads it, and reported.
    """
    word = value.value.lower()
    if word in ("true", "false"):
        return word == "true", None
    read, quotes = word in true, strip_quotes(word)
    near = nearest_word(quotes, ("true", "false"))
    meant_near = near or ("true" if quotes in _TRUE_LIKE else "false")
    is_known = quotes in _TRUE_LIKE | _FALSE_LIKE
    shown = f"`{value.value[:40]}`" if word else "An empty value"
    problem = Finding(
        value.span,
        f"{shown} is not a boolean; it is read as {str(read).lower()}.",
        f"Write `{meant_near}`.",
        kind="bad-boolean",
        data=suggestion_data(meant_near, str(read).lower(), is_near=bool(near), is_known=is_known),
    )
    return read, problem


def strip_quotes(word: str) -> str:
    """Return a KEY=VALUE value without the quotes that the formats do not know."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def suggestion_data(
    suggestion: str, read_as: str, *, is_near: bool, is_known: bool
) -> tuple[tuple[str, str], ...]:
    """Return a problem's data for a KEY=VALUE value, a word that is none of those allowed: what to
    write, and how it is read.

    is_near: the word is a slip of the suggestion. is_known: everybody knows what the word means.
    """
    data = [("suggestion", suggestion)]
    if is_near or is_known:
        data.append(("read_as", read_as))
    if is_known:
        data.append(("known", suggestion))
    return tuple(data)


def read_count(value: Text) -> tuple[int | None, Finding | None]:
    """Read a KEY=VALUE value that is a whole number from 1 up; return it, or ``None`` and what is
    wrong.
    """
    word = value.value
    if word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS and int(word) > 0:
        return int(word), None
    problem = Finding(
        value.span,
        f"`{word[:40]}` is not a whole number above 0, so this trigger never fires.",
        "Write digits only, for example `10`.",
        kind="bad-number",
    )
    return None, problem


def split_list(text: str, value: Span) -> tuple[tuple[Text, ...], tuple[Span, ...]]:
    """Split a KEY=VALUE value, a comma list in ``text``, into its items and its empty places, a run
    of them as one.

    The span of an empty place takes a comma in, so that deleting it mends the list. An empty value
    is an empty list without an empty place.
    """
    items: list[Text] = []
    gaps: list[Span] = []
    last = value.start  # where the place of the last item ends
    for place in _LIST_ITEM.finditer(text, value.start, value.end):
        begin, end = place.span()
        span = trim_span(text, begin, end)
        first, after = span
        if first == after:
            continue
        if not items and begin > value.start:
            gaps.append(Span(value.start, begin))
        elif items and begin > last + 1:
            gaps.append(Span(last, begin - 1))
        items.append(new_tuple(Text, (text[first:after], span)))
        last = end
    if last < value.end:
        gaps.append(Span(last, value.end))
    return tuple(items), tuple(gaps)
