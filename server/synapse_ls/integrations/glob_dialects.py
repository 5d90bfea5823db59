"""This module translates the globs of a manifest into the dialects of other programs.

Ours are anchored at the root; ``*`` and ``?`` stay within a folder, ``**`` as a whole part of
a path goes across folders, and every other character is itself. Where a dialect has no way to
say that, the nearest glob that matches no less is taken, and what it matches in addition is
said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_SPECIAL_CHARACTERS = frozenset("[]{}()!+@,")
"""Characters that mean something in a minimatch-like glob, or to who splits a list of them."""


class GlobDialect(NamedTuple):
    """A GlobDialect says how a program reads globs.

    ``is_anchored``: whether one is meant from the root; else it applies in every folder, too.
    ``special``: characters to put into brackets, so that they mean themselves.
    ``unmatchable``: those for which there is no such way.
    """

    name: str
    is_anchored: bool
    special: frozenset[str] = _SPECIAL_CHARACTERS
    unmatchable: frozenset[str] = frozenset()


class TranslatedGlobs(NamedTuple):
    """TranslatedGlobs are globs in the dialect of one client.

    ``wider_globs``: (as in the manifest, as written) of those that match more than they
    should. ``unanchored_globs``: those, as in the manifest, that apply below every folder and
    not at the root only.
    """

    globs: tuple[str, ...]
    wider_globs: tuple[tuple[str, str], ...] = ()
    unanchored_globs: tuple[str, ...] = ()


def translate_globs(patterns: Sequence[str], dialect: GlobDialect) -> TranslatedGlobs:
    """Returns the globs that match in ``dialect`` what ``patterns`` match."""
    globs, wider, anywhere = [], [], []
    for pattern in patterns:
        parts = [part for part in pattern.strip("/").split("/") if part]
        if not parts:
            continue
        written = "/".join(_translate_part(part, dialect) for part in parts)
        globs.append(written)
        if not dialect.unmatchable.isdisjoint(pattern):
            wider.append((pattern, written))
        if not dialect.is_anchored and parts[0] != "**":
            anywhere.append(pattern)
    return TranslatedGlobs(tuple(dict.fromkeys(globs)), tuple(wider), tuple(anywhere))


def _translate_part(part: str, dialect: GlobDialect) -> str:
    if part == "**":
        return part
    while "**" in part:
        part = part.replace("**", "*")
    return "".join(_translate_character(char, dialect) for char in part)


def _translate_character(char: str, dialect: GlobDialect) -> str:
    if char in dialect.unmatchable:
        return "?"
    return f"[{char}]" if char in dialect.special else char


def join_globs(globs: Sequence[str]) -> str:
    """Returns translated globs as one text, with commas between them."""
    return ",".join(globs)


def quote_yaml(text: str) -> str:
    """Returns translated globs as a YAML 1.2 scalar in double quotes, which is never read as
    something else.
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
