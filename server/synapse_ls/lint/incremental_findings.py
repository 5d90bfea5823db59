"""Keep a tree's findings current after each change, checking only affected files.

An edit moves a file's diagnostics to their new places until the file is checked again, so that an
editor does not flicker.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from synapse_ls.lint import lint_rule, lint_runner, rule_selection
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.text_edit import TextEdit, minimal_edit, shift_span
from synapse_ls.workspace.fact_extraction import Key, changed_paths
from synapse_ls.workspace.fact_extraction import make_key as key_of
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import squad_folder_of
from synapse_ls.workspace.rule_tree import Tree


def move_findings(
    diagnostics: Iterable[Finding], path: str, edit: TextEdit
) -> tuple[Finding, ...] | None:
    """Return the diagnostics of the file ``path`` at their places after an edit; those whose place
    was deleted are left out.

    None where the place of one was rewritten: then the file must be checked again.
    """
    findings: list[Finding] = []
    for diagnostic in diagnostics:
        if (span := shift_span(diagnostic.span, edit)) is not None:
            places = (
                (other, shift_span(other.span, edit) if other.path == path else other.span)
                for other in diagnostic.related
            )
            # Those whose place was deleted are left out.
            related = tuple(other._replace(span=moved) for other, moved in places if moved)
            fix = _move_fix(diagnostic.fix, path, edit)
            findings.append(diagnostic._replace(span=span, fix=fix, related=related))
        elif edit.new_text:
            return None
    return tuple(findings)


def _move_fix(fix: Fix | None, path: str, edit: TextEdit) -> Fix | None:
    """Return the fix at its new place, or None if the edit touched what the fix would change."""
    if fix is None:
        return None
    edits: list[tuple[str, TextEdit]] = []
    for target, change in fix.edits:
        span = change.span
        if target == path and span.start <= edit.span.end:
            if edit.span.start <= span.end:
                return None
        elif target == path:
            span = span.shift(len(edit.new_text) - edit.span.length)
        edits.append((target, TextEdit(span, change.new_text)))
    return fix._replace(edits=tuple(edits))


_CONFIG: Key = ("setting", "config")


# What is known of a file without the others.
_FileInput = tuple[FileFacts | None, tuple[Finding, ...]]


class IncrementalFindings:
    """The findings of a tree by path, kept up to date; paths without any are not in it.

    After any number of updates they equal those of a fresh `lint_tree` of the last tree. For
    typing, an update is done in two steps: `begin_update` checks the changed files alone and moves
    their tree-wide diagnostics through the edit, so that nothing flickers; `settle` checks all
    affected files again. ``progress`` is called before each file with how many of how many are
    checked.
    """

    def __init__(
        self,
        tree: Tree,
        notes: Iterable[Finding] = (),
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        self._tree = tree
        self._notes = lint_runner.group_notes(notes)
        self._policy = rule_selection.Policy(tree.snapshot.config.lint)
        self._diagnostics: dict[str, tuple[Finding, ...]] = {}
        # Those of files alone, and those of rules that know the others.
        self._file_cache: dict[str, tuple[_FileInput, tuple[Finding, ...]]] = {}
        self._tree_diagnostics: dict[str, tuple[Finding, ...]] = {}
        self._due_paths = dict.fromkeys((*tree.snapshot.paths(), *self._notes))
        # The tree that `_due_paths` is about; from there `_changed_keys` leads to `_tree`.
        self._checked_tree = tree
        self._changed_keys: frozenset[Key] = frozenset()
        total = len(self._due_paths)
        for done, path in enumerate(tuple(self._due_paths)):
            if progress:
                progress(done, total)
            self._recheck_path(path)

    @property
    def by_path(self) -> Mapping[str, tuple[Finding, ...]]:
        """The diagnostics, each path's sorted by place and code."""
        return self._diagnostics

    @property
    def is_settled(self) -> bool:
        """Whether no file is left to be checked again."""
        return not (self._due_paths or self._changed_keys)

    def update(
        self, tree: Tree, changed_keys: Iterable[Key], notes: Iterable[Finding] = ()
    ) -> frozenset[str]:
        """Take over another tree, given the keys that changed, and check all affected files again.

        Returns the paths whose diagnostics differ from before, also where there are none any more.
        """
        self._adopt_tree(tree, frozenset(changed_keys), notes)
        return self.settle()

    def begin_update(
        self, tree: Tree, changed_keys: Iterable[Key], notes: Iterable[Finding] = ()
    ) -> frozenset[str]:
        """Do the first step of an update: take over the tree and check the changed files alone.

        Returns those of the changed paths whose diagnostics differ from before.
        """
        keys, before = frozenset(changed_keys), self._tree.snapshot
        self._adopt_tree(tree, keys, notes)
        differing = set()
        for path in changed_paths(keys):
            former, facts = before.facts(path), tree.snapshot.facts(path)
            edit = minimal_edit(former.text if former else "", facts.text if facts else "")
            wide = move_findings(self._tree_diagnostics.get(path, ()), path, edit)
            if self._recheck_path(path) if wide is None else self._store_diagnostics(path, wide):
                differing.add(path)
        return frozenset(differing)

    def settle(self, stop: Callable[[], bool] = bool) -> frozenset[str]:
        """Do the second step of an update: check all affected files again, until done or ``stop``
        is true.

        Returns the paths whose diagnostics differ from before this call.
        """
        # The files that the changed keys affect are due, too.
        if self._changed_keys:
            paths = affected_paths(self._checked_tree, self._tree, self._changed_keys)
            paths |= {
                path
                for path, findings in self._diagnostics.items()
                if not paths.isdisjoint(_pointed_paths(findings))
            }
            self._due_paths |= dict.fromkeys(paths - self._due_paths.keys())
        self._checked_tree, self._changed_keys = self._tree, frozenset()
        differing = set()
        with suppress(lint_runner.CheckStopped):
            while self._due_paths:
                path = next(iter(self._due_paths))
                if self._recheck_path(path, stop):
                    differing.add(path)
        return frozenset(differing)

    def _adopt_tree(self, tree: Tree, keys: frozenset[Key], notes: Iterable[Finding]) -> None:
        """Take over another tree and put its changed files first among those that are due."""
        now = lint_runner.group_notes(notes)
        noted = self._notes.keys() | now.keys()
        paths = {path for path in noted if self._notes.get(path) != now.get(path)}
        if _CONFIG in keys:
            self._policy = rule_selection.Policy(tree.snapshot.config.lint)
            self._file_cache.clear()
            paths |= {*tree.snapshot.paths(), *self._diagnostics, *now}
        self._tree, self._notes = tree, now
        self._changed_keys |= keys
        self._due_paths = dict.fromkeys((*changed_paths(keys), *self._due_paths, *paths))

    def _recheck_path(self, path: str, stop: Callable[[], bool] = bool) -> bool:
        """Check a file against the whole tree again; return whether its diagnostics differ from
        before.
        """
        wide = lint_runner.tree_findings(self._tree, path, self._policy, stop)
        self._due_paths.pop(path, None)
        return self._store_diagnostics(path, wide)

    def _store_diagnostics(self, path: str, wide: tuple[Finding, ...]) -> bool:
        """Store the diagnostics of a file; return whether they differ from before."""
        facts = self._tree.snapshot.facts(path)
        # The findings of a file alone hold while the file and its notes stay the same.
        inputs = facts, self._notes.get(path, ())
        if (cached := self._file_cache.get(path)) is None or cached[0] != inputs:
            own_findings = lint_runner.file_findings(facts, path, self._policy, inputs[1])
            cached = self._file_cache[path] = inputs, own_findings
        findings = lint_runner.combine_findings(facts, cached[1], wide, self._policy)
        before = self._diagnostics.get(path, ())
        _store_or_drop(self._tree_diagnostics, path, wide)
        if findings == before:
            return False
        _store_or_drop(self._diagnostics, path, findings)
        return True


def _store_or_drop(
    by_path: dict[str, tuple[Finding, ...]], path: str, findings: tuple[Finding, ...]
) -> None:
    """Store the diagnostics of a path, or drop the path where there are none."""
    if findings:
        by_path[path] = findings
    else:
        by_path.pop(path, None)


def _pointed_paths(diagnostics: Iterable[Finding]) -> set[str]:
    """Return the files that diagnostics point into: related places, and what their fixes change."""
    paths: set[str] = set()
    for diagnostic in diagnostics:
        paths.update(related.path for related in diagnostic.related)
        if diagnostic.fix is not None:
            paths.update(path for path, _ in diagnostic.fix.edits)
    return paths


def affected_paths(before: Tree, after: Tree, changed_keys: frozenset[Key]) -> set[str]:
    """Return the paths whose diagnostics may change with the keys: the changed files, and those
    that rules look at because of them.
    """
    homes: dict[str, set[str]] = {}
    for key in changed_keys:
        # The folder of each squad, or "" for the root, that has a file which uses or used the key.
        using = homes.setdefault(key[0], set())
        if key[0] in ("file", "content"):
            using.add(_home_folder(after, key[1]))
        for tree in (before, after):
            using.update(_home_folder(tree, path) for path in _paths_using_key(tree, key))
    served = _served_paths(before, changed_keys) | _served_paths(after, changed_keys)
    for path in served:
        facts = after.snapshot.facts(path)
        for family, _ in facts.definitions_by_key if facts else ():
            if family != "file":  # it is there as before
                homes.setdefault(family, set()).add(_home_folder(after, path))
    paths = served.union(changed_paths(changed_keys))
    for rule in all_rules():
        if not isinstance(rule, lint_rule.TreeRule):
            continue
        read = [family for family in homes if family in rule.reads]
        everywhere = any(rule.reads[family] is lint_rule.Reach.EVERYWHERE for family in read)
        folders = (homes[family] for family in read if rule.reads[family] is lint_rule.Reach.FOLDER)
        near = set[str]().union(*folders)
        for kind in rule.kinds:
            if everywhere:
                paths.update(after.snapshot.paths(kind))
            else:
                paths.update(
                    path
                    for home in near
                    for path in (
                        after.snapshot.paths_under(home, kind)
                        if home
                        else after.snapshot.root_paths(kind)
                    )
                )
    return paths


def _served_paths(tree: Tree, changed_keys: Iterable[Key]) -> set[str]:
    """Return the files that serve the changed domains, and the files beside them that serve no
    domain.
    """
    keys = {key for key in changed_keys if key[0] == "domain"}
    speaking = {path for key in keys for path in _paths_using_key(tree, key)}
    paths: set[str] = set()
    for home in {tree.home_of(path) for path in speaking}:
        paths.update(home.orphan_files)
        paths.update(d.file for d in home.domains if d.file and key_of("domain", d.label) in keys)
    return paths


def _paths_using_key(tree: Tree, key: Key) -> Iterator[str]:
    """Yield the files that define or mention a key."""
    yield from tree.snapshot.defining_paths(key)
    yield from tree.snapshot.referring_paths(key)


def _home_folder(tree: Tree, path: str) -> str:
    """Return the folder of the squad that a path is in, "" for the root."""
    return squad_folder_of(path, tree.snapshot.config.paths)
