"""Read a remembered tree again after some of its files were edited, and check the edited tree: what
the edits cannot reach is not looked at.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.lint.incremental_diagnostics import reached_paths
from synapse_ls.lint.lint_runner import group_notes, lint_file
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import TreeIndex
from synapse_ls.workspace.tree_folders import CARL, CONFIG
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, refresh_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.lint.rule_selection import Policy
    from synapse_ls.queries.remembered_tree import RememberedTree
    from synapse_ls.text.finding import Diagnostic
    from synapse_ls.workspace.file_facts import FileFacts
    from synapse_ls.workspace.file_scanner import LoadNote
    from synapse_ls.workspace.index_keys import Key

EDITABLE_KINDS = frozenset(
    {
        FileKind.MANIFEST,
        FileKind.RULES,
        FileKind.COMMANDS,
        FileKind.CONTEXT,
        FileKind.CONSTITUTION,
        FileKind.SQUAD,
        FileKind.OLD_SQUAD,
        FileKind.AGENT,
        FileKind.TASK,
        FileKind.STORY,
        FileKind.WORKFLOW,
        FileKind.WORKFLOW_STATE,
        FileKind.PATTERNS,
        FileKind.CHAINS,
        FileKind.TESTS,
    }
)
"""Kinds of files whose text decides neither which other files are read, nor what the loader
notes.
"""


class CannotTellError(Exception):
    """A CannotTellError says that what the edits of a tree reach is not known, so everything is to
    be checked.
    """


class EditedTree(NamedTuple):
    """A remembered tree after its files were edited: ``before`` and ``tree`` have its names,
    ``keys`` are those that changed in between, by the ``touched`` files. ``is_in_place``: nothing
    else was looked at.
    """

    loaded: LoadedTree
    before: Tree
    tree: Tree
    keys: frozenset[Key]
    touched: frozenset[str]
    is_in_place: bool


def reread_files(
    root: str, remembered: RememberedTree, notes: Iterable[LoadNote], edited: frozenset[str]
) -> EditedTree:
    """Return the edited tree, of which only these files were read again, where no more can have
    changed than their texts. Raises CannotTellError elsewhere.
    """
    before = remembered.resolve_names(edited)
    for path in edited:
        facts = before.snapshot.facts(path)
        is_plain = facts and facts.is_read and facts.kind in EDITABLE_KINDS
        if not is_plain or path.startswith(f"{CARL}/"):
            raise CannotTellError(path)
    loaded = LoadedTree(root, LoadScope.ALL)
    loaded.index = TreeIndex(current=before.snapshot)
    loaded.notes = list(notes)
    keys = refresh_tree(loaded, edited)
    tree = Tree(loaded.index.snapshot(), before, edited)
    for path in edited:
        facts = tree.snapshot.facts(path)
        if not (facts and facts.is_read):
            raise CannotTellError(path)
        # A folder in the place of a declared domain's file is noted.
        is_declaring = facts.kind is FileKind.MANIFEST
        if is_declaring and _names_at(before, path) != _names_at(tree, path):
            raise CannotTellError(path)
    return EditedTree(loaded, before, tree, keys, edited, is_in_place=True)


def reread_tree(root: str, remembered: RememberedTree, changed: frozenset[str]) -> EditedTree:
    """Return the edited tree after every folder was looked at, and those files read that are new or
    among the ``changed`` ones. Raises CannotTellError where the configuration is another.
    """
    old = remembered.snapshot
    if CONFIG in changed:
        raise CannotTellError(CONFIG)

    def known(path: str, kind: FileKind) -> FileFacts | None:
        facts = old.facts(path) if path not in changed else None
        return facts if facts and facts.is_read and facts.kind is kind else None

    loaded = load_tree(root, LoadScope.ALL, known=known)
    new = loaded.index.snapshot()
    if new.config != old.config or new.folder != old.folder or new.files_above:
        raise CannotTellError(root)
    touched: set[str] = set()
    keys: set[Key] = set()
    step = old
    for path in {*old.paths(), *new.paths()}:
        facts, former = new.facts(path), old.facts(path)
        if facts is former or (facts and former and not (facts.is_read or former.is_read)):
            continue
        step, others = step.with_facts(facts) if facts else step.without_file(path)
        keys |= others
        touched.add(path)
    before = remembered.resolve_names(touched)
    after = Tree(new, before, touched)
    return EditedTree(loaded, before, after, frozenset(keys), frozenset(touched), is_in_place=False)


def recheck_reached(
    edited: EditedTree,
    former_notes: Iterable[LoadNote],
    known: Iterable[Diagnostic],
    policy: Policy,
) -> tuple[Diagnostic, ...]:
    """Return all findings of an edited tree, in their order: ``known`` are those of the tree
    before, and only what the edits reach is checked again. Raises CannotTellError.
    """
    by_path = {path: list(found) for path, found in groupby(known, lambda one: one.path)}
    notes, former = group_notes(edited.loaded.notes), group_notes(former_notes)
    noted = {path for path in {*notes, *former} if notes.get(path) != former.get(path)}
    for path in noted | reached_paths(edited.before, edited.tree, edited.keys, by_path):
        by_path[path] = list(lint_file(edited.tree, path, policy, notes.get(path, ())))
    return tuple(diagnostic for path in sorted(by_path) for diagnostic in by_path[path])


def _names_at(tree: Tree, path: str) -> list[str]:
    return [domain.name for domain in tree.home_of(path).domains]
