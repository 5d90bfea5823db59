"""This module gives memory back that the reading of a whole tree needed and nobody needs after it."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

from synapse_ls.workspace.snapshot import Snapshot

_MOST_KEPT = 8_000
"""Entries of a cache that stay: more than most files have lines, since an edit reads the others of
its file again.
"""

_CachedFunction: type[Any] = type(lru_cache(int))
_FOUND: dict[str, tuple[int, tuple[Any, ...]]] = {}
"""Of each module: how many names it had, and its functions with a cache."""


def forget_reading(snapshot: Snapshot) -> None:
    """Forgets what was needed to read all files of a tree and is seldom asked for afterwards: lines,
    names and keys by their text, and the facts of a file by their keys.
    """
    for name, module in tuple(sys.modules.items()):
        if name.startswith("synapse_ls."):
            for cached in _cached_functions(name, module):
                if cached.cache_info().currsize > _MOST_KEPT:
                    cached.cache_clear()
    for path in snapshot.paths():
        if facts := snapshot.facts(path):
            facts.forget_groups()


def return_free_memory() -> None:
    """Has the C library give free memory back to the system, where it can: on Linux with glibc."""
    if sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _cached_functions(name: str, module: Any) -> tuple[Any, ...]:
    """Returns the functions of a module that remember what they returned. A module is read again where it has
    more names than before: some names are imported when they are first asked for.
    """
    names = len(vars(module))
    known = _FOUND.get(name)
    if known is None or known[0] != names:
        values = tuple(vars(module).values())
        known = names, tuple(value for value in values if isinstance(value, _CachedFunction))
        _FOUND[name] = known
    return known[1]
