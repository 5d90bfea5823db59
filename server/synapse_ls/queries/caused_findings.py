"""This module finds the findings that a change since a revision of git can have caused: those in
the files that changed, and those in other files that were not found, or not so, in the tree as it
was.

Only what the change reaches is looked at, by the rules by which an edit is in an editor.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.lint.incremental_diagnostics import affected_paths
from synapse_ls.lint.lint_runner import group_notes, lint_file
from synapse_ls.queries.revision_changes import FormerTree
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.served_system import NOTE_KIND as TWO_SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from synapse_ls.formats.config_file import LintSettings
    from synapse_ls.lint.diagnostic import Diagnostic
    from synapse_ls.lint.rule_selection import Policy
    from synapse_ls.queries.revision_changes import RevisionChanges
    from synapse_ls.workspace.file_scanner import LoadNote
    from synapse_ls.workspace.index_keys import Key
    from synapse_ls.workspace.snapshot import Snapshot
    from synapse_ls.workspace.tree_loader import LoadedTree

    PolicyOf = Callable[[LintSettings], Policy]


class CausedFindings(NamedTuple):
    """A CausedFindings has the findings that a change can have caused, sorted by path and place.

    changed: the files of the tree that changed. gone: those that are there no more. reached: those
    that were looked at, the changed ones among them.
    """

    findings: tuple[Diagnostic, ...]
    changed: frozenset[str]
    gone: frozenset[str]
    reached: frozenset[str]


def find_caused(
    changes: RevisionChanges, loaded: LoadedTree, tree: Tree, policy_of: PolicyOf
) -> CausedFindings:
    """Returns the findings that changes can have caused in a tree; ``policy_of`` makes the policy
    from the configuration that is in force.
    """
    noted = group_notes(loaded.notes)
    snapshot = tree.snapshot
    changed = frozenset(filter(changes.has_changed, {*snapshot.paths(), *noted}))
    former_loaded = FormerTree(changes, loaded).load()
    before, reached = _reach_of(former_loaded.index.snapshot(), tree)
    reached.update(path for path, notes in noted.items() if _caused_notes(notes))
    policy = policy_of(snapshot.config.lint)
    former_policy = policy_of(before.snapshot.config.lint)
    former_notes = group_notes(former_loaded.notes)
    found: list[Diagnostic] = []
    for path in sorted(changed | reached):
        if path in changed:
            found += lint_file(tree, path, policy, noted.get(path, ()))
            continue
        now = lint_file(tree, path, policy, _caused_notes(noted.get(path, ())))
        was = lint_file(before, path, former_policy, _caused_notes(former_notes.get(path, ())))
        found += _new_findings(now, was)
    gone = frozenset(before.snapshot.paths()).difference(snapshot.paths())
    return CausedFindings(tuple(found), changed, gone, frozenset(changed | reached))


def _reach_of(former: Snapshot, tree: Tree) -> tuple[Tree, set[str]]:
    """Returns the former tree, and the files of ``tree`` in which findings may be others than
    there.
    """
    now = tree.snapshot
    keys: set[Key] = set()
    touched: set[str] = set()
    step = former
    for path in {*former.paths(), *now.paths()}:
        facts, was = now.facts(path), former.facts(path)
        if facts is was or (facts and was and not (facts.is_read or was.is_read)):
            continue
        step, others = step.with_facts(facts) if facts else step.without_file(path)
        keys |= others
        touched.add(path)
    before = Tree(former, tree, touched)
    if former.config != now.config or former.folder != now.folder:
        return before, set(now.paths())
    return before, affected_paths(before, tree, frozenset(keys))


def _caused_notes(notes: Iterable[LoadNote]) -> tuple[LoadNote, ...]:
    """Returns the notes on a file that others can have brought: all else is the file's own, or the
    machine's.
    """
    return tuple(note for note in notes if note.kind == TWO_SYSTEMS)


def _new_findings(now: Iterable[Diagnostic], was: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Returns the findings of an unchanged file that it did not have before."""
    left = Counter(map(_identity, was))
    new: list[Diagnostic] = []
    for one in now:
        if left[_identity(one)] > 0:
            left[_identity(one)] -= 1
        else:
            new.append(one)
    return new


def _identity(found: Diagnostic) -> tuple[object, ...]:
    """Returns what a finding says about its file; what is elsewhere may have moved."""
    return found.code, found.severity, found.span, found.message
