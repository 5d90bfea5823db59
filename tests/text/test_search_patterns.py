"""A pattern that is searched for all through a text takes time in proportion to the text's size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from time import process_time
from typing import Any

import synapse_ls
from tests.syntax import PACKAGE

SMALL, MEDIUM, LARGE = 500, 4_000, 16_000  # characters
FASTEST = 0.002  # seconds: what takes no longer than that for MEDIUM is no trouble
STARTERS = {"synapse_ls.__main__", "synapse_ls.hook", "synapse_ls.statusline"}
SEARCHED = re.compile(r"\b(\w+)\.(?:search|finditer|findall|subn?|split)\b")
SAMPLES = "aX1 -_.:`\"'<([{*#\n"
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
# What is searched for in no text that is long and has no end of it, and why there is none.
BOUNDED = {
    "cli.glossary._LINK": "the package's own texts",
    "formats.brainiac.reserved_headings._UNREAD": "500 characters",
    "formats.instruction_rules._LINK_OR_TAG": "4,000 characters",
    "guard.foreign_code._EXPRESSION": "up to the last end",
    "ide.hover_markdown._CODE_AT_END": "fences of ours, each of which ends",
    "integrations.settings_syntax.BLOCK_COMMENT": "up to the last end",
    "lint.rule_pages._FENCE": "the package's own texts",
    "setup.doctor.server_probe._HEADERS": "what our own server writes",
    "text.jsonc_tree.BLOCK_COMMENT": "up to the last end, or from its beginning alone",
}


def patterns_in(value: object, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, re.Pattern) or type(value).__name__ == "_LazyPattern":
        yield value
    elif isinstance(value, dict | tuple | list | frozenset | set) and depth < 4:
        for item in (*value, *(value.values() if isinstance(value, dict) else ())):
            yield from patterns_in(item, depth + 1)


def searched_patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Each compiled pattern of the package that is searched for, with its name."""
    searched = {path: SEARCHED.findall(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}
    anywhere = {name for names in searched.values() for name in names}
    for info in walk_packages(synapse_ls.__path__, "synapse_ls."):
        if info.name in STARTERS:
            continue
        module = import_module(info.name)
        own = searched[Path(str(module.__file__))]
        for name, value in vars(module).items():
            if name in (own if name.startswith("_") else anywhere):
                for pattern in patterns_in(value):
                    place = f"{info.name.removeprefix('synapse_ls.')}.{name}"
                    yield place, re.compile(pattern.pattern, pattern.flags)


def sample_of(code: Any, argument: Any) -> str:
    """A character that one item of a pattern matches."""
    part = parser.SubPattern(parser.State(), [(code, argument)])
    matched = compiler.compile(part)
    return next((c for c in SAMPLES if matched.match(c)), "é")


def beginnings(items: Any, before: str = "") -> list[str]:
    """What a text has to begin with so that the pattern matches up to each of its parts."""
    found = [before]
    for code, argument in items:
        text = found[-1]
        if code is codes.LITERAL:
            found.append(text + chr(argument))
        elif code in (codes.IN, codes.ANY, codes.NOT_LITERAL):
            found.append(text + sample_of(code, argument))
        elif code in REPEATS:
            least, most, body = argument
            found.append(text + beginnings(body)[-1] * max(least, min(most, 1)))
        elif code is codes.SUBPATTERN:
            found += beginnings(argument[3], text)
        elif code is codes.ATOMIC_GROUP:
            found += beginnings(argument, text)
        elif code is codes.BRANCH:
            branches = [beginnings(branch, text) for branch in argument[1]]
            found += [start for branch in branches[1:] for start in branch] + branches[0]
    return found


def seconds_for(pattern: re.Pattern[Any], piece: str, size: int) -> float:
    """The least time of a few searches all through a text of that piece again and again."""
    text: Any = piece * (size // len(piece))
    if isinstance(pattern.pattern, bytes):
        text = text.encode("latin-1", "replace")
    times = []
    for _ in range(3):
        began = process_time()
        for _ in pattern.finditer(text):
            pass
        times.append(process_time() - began)
        if times[-1] < FASTEST:
            break
    return min(times)


def is_quadratic(pattern: re.Pattern[Any], piece: str) -> bool:
    before = seconds_for(pattern, piece, MEDIUM)
    if before < FASTEST or before < 16 * seconds_for(pattern, piece, SMALL):
        return False
    return before > 0.05 or seconds_for(pattern, piece, LARGE) > 9 * before


def test_a_pattern_that_is_searched_for_takes_time_in_proportion_to_the_text() -> None:
    slow = {}
    for name, pattern in searched_patterns():
        if name in BOUNDED:
            continue
        flags = pattern.flags & ~(re.UNICODE if isinstance(pattern.pattern, bytes) else 0)
        starts = dict.fromkeys(filter(None, beginnings(parser.parse(pattern.pattern, flags))))
        pieces = (start + end for start in starts for end in ("", "\n", " "))
        if piece := next((piece for piece in pieces if is_quadratic(pattern, piece)), None):
            slow[name] = piece
    assert slow == {}
