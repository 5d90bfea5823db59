"""Two changes of one text put together, line by line, where they are about different lines."""

from __future__ import annotations

from difflib import SequenceMatcher


def merge(base: str, ours: str, theirs: str) -> str | None:
    """``base`` with what both ``ours`` and ``theirs`` made of it; None where they collide.

    Changes collide where they touch the same lines, or lines side by side, unless they are equal.
    """
    old = base.splitlines(keepends=True)
    sides = (ours.splitlines(keepends=True), theirs.splitlines(keepends=True))
    changes = sorted(
        ((start, end, lines, side) for side, new in enumerate(sides) for start, end, lines in _changes(old, new)),
        key=lambda change: (change[0], change[1], change[3]),
    )  # fmt: skip
    merged: list[str] = []
    at = 0
    last: tuple[int, int, list[str], int] | None = None
    for change in changes:
        start, end, lines, side = change
        if last is not None and side != last[3]:
            if change[:3] == last[:3]:
                continue
            if start <= last[1]:
                return None
        merged += old[at:start]
        merged += lines
        at, last = end, change
    return "".join(merged + old[at:])


def _changes(old: list[str], new: list[str]) -> list[tuple[int, int, list[str]]]:
    """What differs: the lines from one to another become these."""
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i1, i2, new[j1:j2]) for tag, i1, i2, j1, j2 in found if tag != "equal"]
