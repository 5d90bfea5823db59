"""Globs of the manifest in the dialects of other programs.

Ours are anchored at the root; ``*`` and ``?`` stay within a folder, ``**`` as a whole part of a path
goes across folders, and every other character is itself. Where a dialect has no way to say that, the
nearest glob that matches no less is taken, and what it matches in addition is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_SPECIAL = frozenset("[]{}()!+@,")
"""Characters that mean something in a minimatch-like glob, or to who splits a list of them."""


class Dialect(NamedTuple):
    """How a program reads globs.

    ``anchored``: whether one is meant from the root; else it applies in every folder, too.
    ``special``: characters to put into brackets, so that they mean themselves. ``lacking``: those for
    which there is no such way.
    """

    name: str
    anchored: bool
    special: frozenset[str] = _SPECIAL
    lacking: frozenset[str] = frozenset()


class Translated(NamedTuple):
    """Globs of a dialect.

    ``wider``: (as in the manifest, as written) of those that match more than they should.
    ``anywhere``: those, as in the manifest, that apply below every folder and not at the root only.
    """

    globs: tuple[str, ...]
    wider: tuple[tuple[str, str], ...] = ()
    anywhere: tuple[str, ...] = ()


def translate(patterns: Sequence[str], dialect: Dialect) -> Translated:
    """The globs that match what ``patterns`` match."""
    globs, wider, anywhere = [], [], []
    for pattern in patterns:
        parts = [part for part in pattern.strip("/").split("/") if part]
        if not parts:
            continue
        written = "/".join(_part(part, dialect) for part in parts)
        globs.append(written)
        if not dialect.lacking.isdisjoint(pattern):
            wider.append((pattern, written))
        if not dialect.anchored and parts[0] != "**":
            anywhere.append(pattern)
    return Translated(tuple(dict.fromkeys(globs)), tuple(wider), tuple(anywhere))


def _part(part: str, dialect: Dialect) -> str:
    if part == "**":
        return part
    while "**" in part:
        part = part.replace("**", "*")
    return "".join(_char(char, dialect) for char in part)


def _char(char: str, dialect: Dialect) -> str:
    if char in dialect.lacking:
        return "?"
    return f"[{char}]" if char in dialect.special else char


def comma_separated(globs: Sequence[str]) -> str:
    """Globs as one text."""
    return ",".join(globs)


def quoted(text: str) -> str:
    """A YAML 1.2 scalar in double quotes, which is never read as something else."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
