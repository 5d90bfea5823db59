"""TOML text → its data, or the one problem that makes it unreadable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from synapse_ls.formats.problem import Problem
from synapse_ls.text.span import Span

MAX_CHARS = 200_000

_KEYS = re.compile(r"(Cannot declare|Cannot mutate immutable namespace) (\(.*\))")
_TWICE_INLINE = re.compile(r"Duplicate inline table key (.*)")
_BARE = re.compile(r"[\w-]+", re.ASCII)
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
        return invalid(_said(what.rstrip("."), text, start), _visible(text, start))


def dotted(keys: Sequence[str]) -> str:
    """A key as TOML has it: its parts with dots, in quotes where that is needed."""
    return ".".join(key if _BARE.fullmatch(key) else f'"{key}"' for key in keys)


def _said(what: str, text: str, start: int) -> str:
    """An error of ``tomllib`` in words of TOML: some name Python values, or no key at all."""
    from ast import literal_eval  # only a broken file pays for it

    found = _KEYS.match(what)
    if found:
        name = dotted(literal_eval(found[2]))
        if found[1] == "Cannot declare":
            return f"The table `[{name}]` is declared twice"
        return f"`{name}` is complete, and nothing can be added to it"
    inline = _TWICE_INLINE.fullmatch(what)
    if inline:
        return f"The key `{literal_eval(inline[1])}` is given twice"
    if what == "Cannot overwrite a value":
        line = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
        return f"`{line.partition('=')[0].strip()}` is given twice"
    return what


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
