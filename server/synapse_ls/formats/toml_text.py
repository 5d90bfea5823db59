"""TOML text → its data, or the one problem that makes it unreadable."""

from __future__ import annotations

import re
from typing import Any

from synapse_ls.formats.problem import Problem
from synapse_ls.text.span import Span

MAX_CHARS = 200_000

_ERROR_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def load(text: str, name: str, effect: str) -> tuple[dict[str, Any], Problem | None]:
    """What ``tomllib`` makes of ``text``, or nothing and a problem of kind ``invalid-toml``.

    ``name`` and ``effect`` are the parts of its sentence: "The configuration", "the defaults hold".
    """
    import tomllib  # only a tree that has such a file pays for it

    def invalid(what: str, span: Span) -> tuple[dict[str, Any], Problem]:
        return {}, Problem("invalid-toml", span, f"{what}, so {effect}.")

    if len(text) > MAX_CHARS:
        return invalid(f"{name} is longer than {MAX_CHARS:,} characters", Span(0, 0))
    try:
        return tomllib.loads(text.replace("\ufeff", " ", 1) if text[:1] == "\ufeff" else text), None
    except RecursionError:
        return invalid("The values are nested too deeply", Span(0, 0))
    except ValueError as error:
        message = str(error)
        found = _ERROR_PLACE.search(message)
        start = _offset(text, found)
        what = message[: found.start()] if found else message
        return invalid(what.rstrip("."), _visible(text, start))


def _offset(text: str, found: re.Match[str] | None) -> int:
    """tomllib counts lines by ``\\n`` and columns from 1."""
    if found is None:
        return 0
    if found.group(1) is None:
        return len(text)
    start = 0
    for _ in range(int(found.group(1)) - 1):
        start = text.index("\n", start) + 1
    return min(start + int(found.group(2)) - 1, len(text))


def _visible(text: str, start: int) -> Span:
    """The character at ``start``, or the last one of a line that ends there."""
    if text[start : start + 1] not in ("", "\r", "\n"):
        return Span(start, start + 1)
    before = start - 1 if start and text[start - 1] not in "\r\n" else start
    return Span(before, start)
