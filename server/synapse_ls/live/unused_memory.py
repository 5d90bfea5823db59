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


def forget_reading(snapshot: Snapshot) -> None:
    """Forgets what was needed to read all files of a tree and is seldom asked for afterwards: lines,
    names and keys by their text, and the facts of a file by their keys.
    """
    for cached in _cached_functions(len(sys.modules)):  # where more are imported, there may be more
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


@lru_cache(1)
def _cached_functions(_modules: int) -> tuple[Any, ...]:
    """Returns the functions of our modules that remember what they returned. ``_modules``: how many
    modules are imported; the answer is kept until that is another number.
    """
    found = {
        value
        for name, module in tuple(sys.modules.items())
        if name.startswith("synapse_ls.")
        for value in tuple(vars(module).values())
        if isinstance(value, _CachedFunction)
    }
    return tuple(found)
