"""Diagnostics of a tree that changes: only what a change can have touched is checked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from synapse_ls.formats.config import Lint
from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.moving import moved
from synapse_ls.lint.policy import Policy
from synapse_ls.lint.registry import rules
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.run import Stopped, grouped, own_findings, together, tree_findings
from synapse_ls.text.edit import difference
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import Key, paths_in
from synapse_ls.workspace.keys import key as key_of
from synapse_ls.workspace.kinds import FileKind, squad_of
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.workspace.scan import LoadNote

_CONFIG: Key = ("setting", "config")


_Alone = tuple[FileFacts | None, tuple["LoadNote", ...]]
"""What is known of a file without the others."""


class Results:
    """The diagnostics of a tree by path; paths without any are not in it.

    After any number of updates they are those of a fresh `check` of the last tree. What takes too
    long for the one who is typing is done in two steps: `begin` sees to the changed files
    themselves and carries what rules have said of them in the light of the others through the edit,
    so that nothing flickers; `settle` looks at all of it again. ``policy`` makes the policy out of
    the configuration that is in force.
    """

    def __init__(
        self,
        tree: Tree,
        notes: Iterable[LoadNote] = (),
        policy: Callable[[Lint], Policy] = Policy,
    ) -> None:
        self._tree = tree
        self._notes = grouped(notes)
        self._policy_of = policy
        self._policy = policy(tree.snapshot.config.lint)
        self._found: dict[str, tuple[Diagnostic, ...]] = {}
        self._own: dict[str, tuple[_Alone, tuple[Diagnostic, ...]]] = {}  # those of files alone
        self._wide: dict[str, tuple[Diagnostic, ...]] = {}  # those of rules that know the others
        self._pointing: dict[str, set[str]] = {}  # path -> those with a diagnostic that names it
        self._due = dict.fromkeys((*tree.snapshot.paths(), *self._notes))
        self._since = tree  # the tree that `_due` is about; from there `_changed` leads to `_tree`
        self._changed: frozenset[Key] = frozenset()
        self.settle()

    @property
    def by_path(self) -> Mapping[str, tuple[Diagnostic, ...]]:
        """The diagnostics, each path's sorted by place and code."""
        return self._found

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to be looked at again."""
        return not (self._due or self._changed)

    def update(
        self, tree: Tree, changed: Iterable[Key], notes: Iterable[LoadNote] = ()
    ) -> frozenset[str]:
        """Go over to another tree, of which ``changed`` are the changed keys.

        The result are the paths whose diagnostics are others than before, be it none any more.
        """
        self._follow(tree, frozenset(changed), notes)
        return self.settle()

    def begin(
        self, tree: Tree, changed: Iterable[Key], notes: Iterable[LoadNote] = ()
    ) -> frozenset[str]:
        """The first step of an update; the paths with other diagnostics among the changed files."""
        keys, before = frozenset(changed), self._tree.snapshot
        self._follow(tree, keys, notes)
        return frozenset(path for path in paths_in(keys) if self._carry(path, before.facts(path)))

    def settle(self, stop: Callable[[], bool] = bool) -> frozenset[str]:
        """The second step, or as much of it as is done when ``stop`` says so.

        The result are the paths whose diagnostics are others than before this call.
        """
        self._reach()
        differing = set()
        with suppress(Stopped):
            while self._due:
                path = next(iter(self._due))
                if self._look(path, stop):
                    differing.add(path)
        return frozenset(differing)

    def _follow(self, tree: Tree, keys: frozenset[Key], notes: Iterable[LoadNote]) -> None:
        """Go over to another tree, where the changed files come first."""
        now = grouped(notes)
        noted = self._notes.keys() | now.keys()
        paths = {path for path in noted if self._notes.get(path) != now.get(path)}
        if _CONFIG in keys:
            self._policy = self._policy_of(tree.snapshot.config.lint)
            self._own.clear()
            paths |= {*tree.snapshot.paths(), *self._found, *now}
        self._tree, self._notes = tree, now
        self._changed |= keys
        self._due = dict.fromkeys((*paths_in(keys), *self._due, *paths))

    def _reach(self) -> None:
        """Find out what is due by all that has changed."""
        if self._changed:
            paths = affected(self._since, self._tree, self._changed)
            paths |= self._pointing_into(paths)
            self._due |= dict.fromkeys(paths - self._due.keys())
        self._since, self._changed = self._tree, frozenset()

    def _pointing_into(self, paths: Iterable[str]) -> set[str]:
        """Paths with a diagnostic that names a place in one of ``paths``, where it may have moved."""
        return {other for path in paths for other in self._pointing.get(path, ())}

    def _carry(self, path: str, before: FileFacts | None) -> bool:
        """Look at a file itself again, and move what else is said of it; whether that is other."""
        after = self._tree.snapshot.facts(path)
        edit = difference(before.text if before else "", after.text if after else "")
        wide = moved(self._wide.get(path, ()), path, edit)
        return self._look(path) if wide is None else self._say(path, wide)

    def _look(self, path: str, stop: Callable[[], bool] = bool) -> bool:
        """Look at a file again; whether other things are to be said of it than before."""
        wide = tree_findings(self._tree, path, self._policy, stop)
        self._due.pop(path, None)
        return self._say(path, wide)

    def _own_findings(self, path: str, facts: FileFacts | None) -> tuple[Diagnostic, ...]:
        """What a file itself is found to be, which stays while it and its notes do."""
        asked = facts, self._notes.get(path, ())
        kept = self._own.get(path)
        if kept is None or kept[0] != asked:
            found = own_findings(facts, path, self._policy, asked[1])
            kept = self._own[path] = asked, found
        return kept[1]

    def _say(self, path: str, wide: tuple[Diagnostic, ...]) -> bool:
        """Keep what is to be said of a file; whether that is something else than before."""
        facts = self._tree.snapshot.facts(path)
        found = together(facts, self._own_findings(path, facts), wide, self._policy)
        before = self._found.get(path, ())
        _keep(self._wide, path, wide)
        if found == before:
            return False
        for there in _pointed_at(before):
            self._pointing[there].discard(path)
        for there in _pointed_at(found):
            self._pointing.setdefault(there, set()).add(path)
        _keep(self._found, path, found)
        return True


def _keep(
    kept: dict[str, tuple[Diagnostic, ...]], path: str, found: tuple[Diagnostic, ...]
) -> None:
    if found:
        kept[path] = found
    else:
        kept.pop(path, None)


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
    served = _served(before, changed) | _served(after, changed)
    for path in served:
        facts = after.snapshot.facts(path)
        for family, _ in facts.defined if facts else ():
            if family != "file":  # it is there as before
                homes.setdefault(family, set()).add(_home(after, path))
    paths = served.union(paths_in(changed))
    for rule in rules():
        if not isinstance(rule, TreeRule):
            continue
        read = [family for family in homes if family in rule.reads]
        everywhere = any(rule.reads[family] is Reach.EVERYWHERE for family in read)
        folders = (homes[family] for family in read if rule.reads[family] is Reach.FOLDER)
        near = set[str]().union(*folders)
        for kind in rule.kinds:
            if everywhere:
                paths.update(after.snapshot.paths(kind))
            else:
                paths.update(path for home in near for path in _within(after, home, kind))
    return paths


def _served(tree: Tree, changed: Iterable[Key]) -> set[str]:
    """The files that serve the changed domains, and those beside them that serve none."""
    keys = {key for key in changed if key[0] == "domain"}
    speaking = {path for key in keys for path in _speaking(tree, key)}
    paths: set[str] = set()
    for home in {tree.home_of(path) for path in speaking}:
        paths.update(home.orphans)
        served = (d.file for d in home.domains if d.file and key_of("domain", d.label) in keys)
        paths.update(served)
    return paths


def _within(tree: Tree, home: str, kind: FileKind) -> tuple[str, ...]:
    """The files of a kind in a squad, or in the root outside all squads."""
    return tree.snapshot.under(home, kind) if home else tree.snapshot.outside_squads(kind)


def _homes(before: Tree, after: Tree, key: Key) -> Iterator[str]:
    """The folders of the squads, or "" for the root, whose files speak or spoke of a key."""
    if key[0] in ("file", "content"):
        yield _home(after, key[1])
    for tree in (before, after):
        for path in _speaking(tree, key):
            yield _home(tree, path)


def _speaking(tree: Tree, key: Key) -> Iterator[str]:
    """The files that define or mention a key."""
    yield from tree.snapshot.definers(key)
    yield from tree.snapshot.referrers(key)


def _home(tree: Tree, path: str) -> str:
    return squad_of(path, tree.snapshot.config.paths)
