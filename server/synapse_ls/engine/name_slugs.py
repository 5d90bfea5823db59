"""This module makes the slugs of names, by which the engine compares what people spell in several
ways: phases, workflows, tasks.
"""

from __future__ import annotations

MOST_SLUGS = 10_000  # names whose slug is known


def slug_of(name: str) -> str:
    """Returns a name as the engine compares it: lower case, everything that is not
    alphanumeric one underscore.
    """
    found = _SLUGS.get(name)
    if found is None:
        if len(_SLUGS) >= MOST_SLUGS:
            _SLUGS.clear()
        found = _SLUGS[name] = "_".join(name.lower().translate(_SEPARATORS).split())
    return found


class _Separators(dict[int, str]):
    """A translation table, filled as it is used: what is not alphanumeric becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = separated = char if char.isalnum() else " "
        return separated


_SEPARATORS = _Separators()
_SLUGS: dict[str, str] = {}  # a tree has few names, and each is compared with many others
