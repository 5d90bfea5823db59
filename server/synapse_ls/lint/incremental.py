"""Diagnostics of a tree that changes: only what a change can have touched is checked again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.policy import Policy
from synapse_ls.lint.registry import rules
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.run import check_file, grouped
from synapse_ls.workspace.keys import Key
from synapse_ls.workspace.kinds import squad_of
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.workspace.scan import LoadNote

_CONFIG: Key = ("setting", "config")


class Results:
    """The diagnostics of a tree by path; paths without any are not in it.

    After any number of updates they are those of a fresh `check` of the last tree.
    """

    def __init__(self, tree: Tree, notes: Iterable[LoadNote] = ()) -> None:
        self._tree = tree
        self._notes = grouped(notes)
        self._policy = Policy(tree.snapshot.config.lint)
        self._found: dict[str, tuple[Diagnostic, ...]] = {}
        self._check(frozenset({*tree.snapshot.paths(), *self._notes}))

    @property
    def by_path(self) -> Mapping[str, tuple[Diagnostic, ...]]:
        """The diagnostics, each path's sorted by place and code."""
        return self._found

    def update(
        self, tree: Tree, changed: Iterable[Key], notes: Iterable[LoadNote] = ()
    ) -> frozenset[str]:
        """Go over to another tree, of which ``changed`` are the changed keys.

        The result are the paths whose diagnostics are others than before, be it none any more.
        """
        keys = frozenset(changed)
        now = grouped(notes)
        noted = self._notes.keys() | now.keys()
        paths = {path for path in noted if self._notes.get(path) != now.get(path)}
        if _CONFIG in keys:
            self._policy = Policy(tree.snapshot.config.lint)
            paths |= {*tree.snapshot.paths(), *self._found, *now}
        else:
            paths |= affected(self._tree, tree, keys)
            paths |= self._pointing_into(paths)
        self._tree, self._notes = tree, now
        return self._check(frozenset(paths))

    def _pointing_into(self, paths: set[str]) -> set[str]:
        """Paths with a diagnostic that names a place in one of ``paths``, where it may have moved."""
        return {
            path
            for path, diagnostics in self._found.items()
            if any(
                related.path in paths
                for diagnostic in diagnostics
                for related in diagnostic.related
            )
        }

    def _check(self, paths: frozenset[str]) -> frozenset[str]:
        differing = set()
        for path in paths:
            found = check_file(self._tree, path, self._policy, self._notes.get(path, ()))
            if found != self._found.get(path, ()):
                differing.add(path)
            if found:
                self._found[path] = found
            else:
                self._found.pop(path, None)
        return frozenset(differing)


def affected(before: Tree, after: Tree, changed: frozenset[Key]) -> set[str]:
    """The paths that may now be judged otherwise: the changed files, and those the rules reach."""
    homes: dict[str, set[str]] = {}
    for key in changed:
        homes.setdefault(key[0], set()).update(_homes(before, after, key))
    paths = {name for family, name in changed if family in ("content", "file")}
    for rule in rules():
        if not isinstance(rule, TreeRule):
            continue
        read = [family for family in homes if family in rule.reads]
        everywhere = any(rule.reads[family] is Reach.EVERYWHERE for family in read)
        near = {home for family in read for home in homes[family]}
        for kind in rule.kinds if read else ():
            among = after.snapshot.paths(kind)
            paths.update(path for path in among if everywhere or _home(after, path) in near)
    return paths


def _homes(before: Tree, after: Tree, key: Key) -> Iterator[str]:
    """The folders of the squads, or "" for the root, whose files speak or spoke of a key."""
    if key[0] in ("file", "content"):
        yield _home(after, key[1])
    for tree in (before, after):
        for path in (*tree.snapshot.definers(key), *tree.snapshot.referrers(key)):
            yield _home(tree, path)


def _home(tree: Tree, path: str) -> str:
    return squad_of(path, tree.snapshot.config.paths)
