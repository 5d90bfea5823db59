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
from synapse_ls.workspace.kinds import FileKind, squad_of
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
        self._pointing: dict[str, set[str]] = {}  # path -> those with a diagnostic that names it
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

    def _pointing_into(self, paths: Iterable[str]) -> set[str]:
        """Paths with a diagnostic that names a place in one of ``paths``, where it may have moved."""
        return {other for path in paths for other in self._pointing.get(path, ())}

    def _check(self, paths: frozenset[str]) -> frozenset[str]:
        differing = set()
        for path in paths:
            found = check_file(self._tree, path, self._policy, self._notes.get(path, ()))
            before = self._found.get(path, ())
            if found == before:
                continue
            differing.add(path)
            for there in _pointed_at(before):
                self._pointing[there].discard(path)
            for there in _pointed_at(found):
                self._pointing.setdefault(there, set()).add(path)
            if found:
                self._found[path] = found
            else:
                self._found.pop(path, None)
        return frozenset(differing)


def _pointed_at(diagnostics: Iterable[Diagnostic]) -> set[str]:
    """The files that diagnostics have places of: related ones, and those their fixes would change."""
    found: set[str] = set()
    for diagnostic in diagnostics:
        found.update(related.path for related in diagnostic.related)
        if diagnostic.fix is not None:
            found.update(path for path, _ in diagnostic.fix.edits)
    return found


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
            if everywhere:
                paths.update(after.snapshot.paths(kind))
            else:
                paths.update(path for home in near for path in _within(after, home, kind))
    return paths


def _within(tree: Tree, home: str, kind: FileKind) -> tuple[str, ...]:
    """The files of a kind in a squad, or in the root outside all squads."""
    return tree.snapshot.under(home, kind) if home else tree.snapshot.outside_squads(kind)


def _homes(before: Tree, after: Tree, key: Key) -> Iterator[str]:
    """The folders of the squads, or "" for the root, whose files speak or spoke of a key."""
    if key[0] in ("file", "content"):
        yield _home(after, key[1])
    for tree in (before, after):
        for path in (*tree.snapshot.definers(key), *tree.snapshot.referrers(key)):
            yield _home(tree, path)


def _home(tree: Tree, path: str) -> str:
    return squad_of(path, tree.snapshot.config.paths)
