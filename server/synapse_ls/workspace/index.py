"""The index of a tree: facts of every file, added up and kept up to date."""

from __future__ import annotations

from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import Key
from synapse_ls.workspace.snapshot import Snapshot


class Index:
    """The one mutable thing about a tree: which snapshot is the current one.

    Whatever the order of changes, the result equals an index that is built from scratch.
    ``profile``: one to be served with in place of that of the configuration.
    """

    __slots__ = ("_current",)

    def __init__(self, profile: str = "") -> None:
        self._current = Snapshot(profile)

    def put(self, path: str, facts: FileFacts) -> frozenset[Key]:
        """Take the facts of a file in, in place of its former ones; the keys that changed by it.

        ValueError where the facts are those of another path.
        """
        if facts.path != path:
            raise ValueError(f"the facts of {facts.path} do not describe {path}")
        self._current, changed = self._current.with_facts(facts)
        return changed

    def drop(self, path: str) -> frozenset[Key]:
        """Forget a file; the keys that changed by it, none where it was not known."""
        self._current, changed = self._current.without(path)
        return changed

    def snapshot(self) -> Snapshot:
        """The tree as it is now; later changes do not reach it."""
        return self._current
