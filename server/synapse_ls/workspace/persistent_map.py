"""This module has a persistent (immutable) map: changing it makes a new one that shares almost
all of the old.

It is a hash trie with dictionaries for leaves. ``set`` and ``discard`` copy one path, O(log
n) nodes of at most 32 places and one leaf; taking a snapshot is keeping a reference.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_BITS = 5
_FAN_OUT = 1 << _BITS
_MASK = _FAN_OUT - 1
_LEAF_SIZE = 32  # entries in a leaf before it is split
_MAX_DEPTH = 60  # no bits of the hash are left here: a leaf of colliding keys may grow

# A node is a leaf (dict) or a branch (tuple of `_FAN_OUT` nodes). No node is changed once shared.
_Node = Any
_EMPTY: dict[Any, Any] = {}


class PersistentMap(Mapping[K, V]):
    """A PersistentMap is an immutable map with cheap changed copies.

    Iteration is in no particular order, and not in the same order in another process: whoever
    shows the content sorts it.
    """

    __slots__ = ("_root", "_size")

    def __init__(self) -> None:
        self._root: _Node = _EMPTY
        self._size = 0

    @classmethod
    def of_entries(cls, entries: dict[K, V]) -> PersistentMap[K, V]:
        """Returns the map with these entries, which it takes as they are: the dictionary belongs to
        it from then on.
        """
        return cls()._with_root(entries, len(entries))

    def __getitem__(self, key: K) -> V:
        return self._leaf(key)[key]

    def __contains__(self, key: object) -> bool:
        return key in self._leaf(key)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[K]:
        stack = [self._root]
        while stack:
            node = stack.pop()
            if type(node) is tuple:
                stack.extend(node)
            else:
                yield from node

    def __repr__(self) -> str:
        return f"PersistentMap({dict(self)!r})"

    def set(self, key: K, value: V) -> PersistentMap[K, V]:
        """Returns the map with ``value`` under ``key``."""
        return self._with_root(
            _set_in_node(self._root, key, value, hash(key), 0), self._size + (key not in self)
        )

    def discard(self, key: K) -> PersistentMap[K, V]:
        """Returns the map without ``key``; this very map if the key is not there."""
        if key not in self:
            return self
        return self._with_root(_discard_from_node(self._root, key, hash(key)), self._size - 1)

    def _leaf(self, key: object) -> dict[K, V]:
        """Returns the only leaf in which ``key`` can be."""
        node = self._root
        code = hash(key)
        while type(node) is tuple:
            node = node[code & _MASK]
            code >>= _BITS
        leaf: dict[K, V] = node
        return leaf

    def _with_root(self, root: _Node, size: int) -> PersistentMap[K, V]:
        changed: PersistentMap[K, V] = PersistentMap()
        changed._root = root
        changed._size = size
        return changed


def _set_in_node(node: _Node, key: Any, value: Any, code: int, depth: int) -> _Node:
    if type(node) is tuple:
        place = code & _MASK
        child = _set_in_node(node[place], key, value, code >> _BITS, depth + _BITS)
        return (*node[:place], child, *node[place + 1 :])
    leaf = {**node, key: value}
    return leaf if len(leaf) <= _LEAF_SIZE or depth >= _MAX_DEPTH else _split_leaf(leaf, depth)


def _split_leaf(leaf: dict[Any, Any], depth: int) -> _Node:
    children: list[dict[Any, Any]] = [_EMPTY] * _FAN_OUT
    for key, value in leaf.items():
        place = (hash(key) >> depth) & _MASK
        if children[place] is _EMPTY:
            children[place] = {}
        children[place][key] = value
    return tuple(children)


def _discard_from_node(node: _Node, key: Any, code: int) -> _Node:
    if type(node) is not tuple:
        return {kept: value for kept, value in node.items() if kept != key}
    place = code & _MASK
    child = _discard_from_node(node[place], key, code >> _BITS)
    branch = (*node[:place], child, *node[place + 1 :])
    if any(type(other) is tuple for other in branch):
        return branch
    # A branch that fits into half a leaf becomes one, so a shrinking map gives its memory back.
    if sum(map(len, branch)) > _LEAF_SIZE // 2:
        return branch
    return {kept: value for leaf in branch for kept, value in leaf.items()}
