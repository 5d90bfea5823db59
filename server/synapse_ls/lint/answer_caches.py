"""This module caches the answers of functions of the linter: for as long as a tree, home or file
lives, or for texts that were judged before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

K = TypeVar("K")
T = TypeVar("T")
P = ParamSpec("P")

_CACHE_SIZE = 16_384  # judgements that are remembered, for each way to judge


def weak_cache(function: Callable[[K], T]) -> Callable[[K], T]:
    """Caches the answer of a function for as long as its argument (a tree, a home, a file) lives."""
    known: WeakKeyDictionary[K, T] = WeakKeyDictionary()

    @wraps(function)
    def answer(asked: K) -> T:
        if asked not in known:
            known[asked] = function(asked)
        return known[asked]

    return answer


def cache_judgement(judge: Callable[P, T]) -> Callable[P, T]:
    """Caches the answers of a function that judges texts; its arguments must be cheap to hash."""
    return lru_cache(maxsize=_CACHE_SIZE)(judge)  # type: ignore[return-value]
