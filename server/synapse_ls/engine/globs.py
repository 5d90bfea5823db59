"""Path patterns of ``{D}_PATHS``: ``*`` within a folder, ``**`` across folders, ``?`` one character."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def any_match(patterns: Iterable[str], paths: Iterable[str]) -> str:
    """The first of ``paths`` that one of ``patterns`` matches, or the empty string."""
    split = [pattern.strip("/").split("/") for pattern in patterns]
    for path in paths:
        parts = path.strip("/").split("/")
        if any(_folders(pattern, parts) for pattern in split):
            return path
    return ""


def _folders(pattern: list[str], parts: list[str]) -> bool:
    """Whether the folders of a path match those of a pattern, in time of their product."""
    reached = {0}
    for piece in pattern:
        if piece == "**":
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
        else:
            reached = {i + 1 for i in reached if i < len(parts) and _name(piece, parts[i])}
    return len(parts) in reached


def _name(pattern: str, name: str) -> bool:
    reached = {0}
    for char in pattern:
        if char == "*":
            reached = set(range(min(reached, default=len(name) + 1), len(name) + 1))
        else:
            reached = {i + 1 for i in reached if i < len(name) and char in ("?", name[i])}
    return len(name) in reached
