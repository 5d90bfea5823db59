"""This module reads the lines of CARL's files: ``KEY=VALUE``, as CARL v1 takes them apart.

A line is trimmed; a blank one, one that begins with ``#`` and one without ``=`` say nothing. The
first ``=`` ends the key, and what is left on both sides is trimmed. There is no quoting and no
comment behind a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.parse_result import Problem, Text
from synapse_ls.text.span import WHITE_SPACE, Span, trim_span

CARL_BRACKETS = ("FRESH", "MODERATE", "DEPLETED")
"""The brackets that have rules: CRITICAL is told DEPLETED's."""

_WORD = re.compile(r"\w")
_COLON = re.compile(r"[A-Z][A-Z0-9_]*_RULE_[A-Za-z0-9_]*[ \t]*:")


class Assignment(NamedTuple):
    """An Assignment is a line of a CARL file that has a key: its number from 0, its span without
    the break, both sides of ``=``.
    """

    number: int
    span: Span
    key: Text
    value: Text


def parse_assignments(text: str, problems: list[Problem]) -> Iterator[Assignment]:
    """Yields the lines of a CARL file with a key, in order; what reads like a line and is none goes
    into ``problems``.
    """
    said = blank_directives(text, CommentStyle.BOTH)
    prose: list[Span] = []
    last = -2
    for number, (start, end) in enumerate(iter_lines(said)):
        body = trim_span(said, start, end)
        if not body.length or said[body.start] == "#":
            continue
        equals = said.find("=", *body)
        if equals < 0:
            if _WORD.search(said, *body) is None:
                continue
            colon = _COLON.match(said, *body)
            if colon:
                problems.append(_colon_problem(Span(colon.end() - 1, colon.end())))
            elif last == number - 1 and prose:
                prose[-1] = Span(prose[-1].start, body.end)
                last = number
            else:
                prose.append(body)
                last = number
            continue
        key = Span(body.start, body.start + len(said[body.start : equals].rstrip(WHITE_SPACE)))
        if key.length:
            value = trim_span(said, equals + 1, body.end)
            yield Assignment(
                number, Span(start, end), Text(key.cut(said), key), Text(value.cut(said), value)
            )
        elif _WORD.search(said, *body):
            problems.append(_keyless_problem(body))
    problems += (_prose_problem(span, said) for span in prose)


def byte_order_mark_problems(path: str, text: str, has_mark: bool) -> tuple[Problem, ...]:
    """Returns the problem of a file of CARL's that begins with a byte order mark, where CARL loses
    something by it; everybody else takes the mark off.
    """
    if not has_mark or not path.startswith(".carl/"):
        return ()
    if path.endswith(".json"):
        message = (
            "CARL reads nothing of this file, because JSON may not begin with a byte order mark."
        )
    elif any(line.number == 0 for line in parse_assignments(text, [])):
        message = "CARL takes the byte order mark before it for a part of the first key, and ignores that."
    else:
        return ()
    return (Problem("byte-order-mark", Span(0, 0), message, "Save the file as UTF-8 without it."),)


def suggestion_data(word: str) -> tuple[tuple[str, str], ...]:
    """Returns a problem's data for a line of CARL where ``word`` is what to write instead; none for
    "".
    """
    return (("suggestion", word),) if word else ()


def _colon_problem(span: Span) -> Problem:
    return Problem(
        "malformed-line",
        span,
        "The line is not injected, because a key ends in `=`, not in `:`.",
        "Write `=`.",
        suggestion_data("="),
    )


def _keyless_problem(span: Span) -> Problem:
    return Problem(
        "malformed-line",
        span,
        "The line is not read, because there is no key before `=`.",
        "Write a key before the `=`, or delete the line.",
    )


def _prose_problem(span: Span, text: str) -> Problem:
    what = "These lines are" if "\n" in span.cut(text) else "This line is"
    return Problem(
        "prose-in-keyvalue",
        span,
        f"{what} not injected, because CARL reads lines with a key and nothing else.",
        "Write DOMAIN_RULE_n= before the text, or begin the line with `#`.",
    )
