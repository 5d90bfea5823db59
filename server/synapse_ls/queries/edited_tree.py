"""This module checks a tree again of which only the texts of some files are others than when it was
remembered: what an edit cannot reach is not looked at.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from synapse_ls.lint.incremental_diagnostics import reached_paths
from synapse_ls.lint.lint_runner import group_notes, lint_file
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import TreeIndex
from synapse_ls.workspace.tree_folders import CARL
from synapse_ls.workspace.tree_loader import LoadedTree, LoadScope, refresh_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.lint.diagnostic import Diagnostic
    from synapse_ls.lint.rule_selection import Policy
    from synapse_ls.workspace.file_scanner import LoadNote

EDITABLE_KINDS = frozenset(
    {
        FileKind.MANIFEST,
        FileKind.RULES,
        FileKind.COMMANDS,
        FileKind.CONTEXT,
        FileKind.CONSTITUTION,
        FileKind.SQUAD,
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
"""Kinds of files whose text decides neither which other files are read, nor what the loader notes."""


class CannotTellError(Exception):
    """A CannotTellError says that what an edit reaches is not known, so everything is to be checked."""


class EditedTree:
    """An EditedTree is a remembered tree after some of its files were edited."""

    def __init__(self, root: str, before: Tree, notes: Iterable[LoadNote]) -> None:
        self._before = before
        self._former_notes = tuple(notes)
        self.loaded = LoadedTree(root, LoadScope.ALL)
        self.loaded.index = TreeIndex(current=before.snapshot)
        self.loaded.notes = list(self._former_notes)
        self.tree = before

    def recheck(
        self, edited: frozenset[str], known: Iterable[Diagnostic], policy: Policy
    ) -> list[Diagnostic]:
        """Returns all findings, in their order, after these files were edited; ``known`` are those
        of before. Raises CannotTellError.
        """
        self._verify_kinds(edited)
        keys = refresh_tree(self.loaded, edited)
        self.tree = Tree(self.loaded.index.snapshot(), self._before, edited)
        self._verify_places(edited)
        by_path = {path: list(found) for path, found in groupby(known, lambda one: one.path)}
        notes, former = group_notes(self.loaded.notes), group_notes(self._former_notes)
        noted = {path for path in {*notes, *former} if notes.get(path) != former.get(path)}
        for path in noted | reached_paths(self._before, self.tree, keys, by_path):
            by_path[path] = list(lint_file(self.tree, path, policy, notes.get(path, ())))
        return [diagnostic for path in sorted(by_path) for diagnostic in by_path[path]]

    def _verify_kinds(self, edited: frozenset[str]) -> None:
        """Raises CannotTellError where one of the files could decide on others."""
        for path in edited:
            facts = self._before.snapshot.facts(path)
            is_plain = facts and facts.is_read and facts.kind in EDITABLE_KINDS
            if not is_plain or path.startswith(f"{CARL}/"):
                raise CannotTellError(path)

    def _verify_places(self, edited: frozenset[str]) -> None:
        """Raises CannotTellError where a file is not read any more, or other domains are declared:
        a folder in the place of a domain's file is noted.
        """
        for path in edited:
            facts = self.tree.snapshot.facts(path)
            if not (facts and facts.is_read):
                raise CannotTellError(path)
            if facts.kind is FileKind.MANIFEST and _names_at(self._before, path) != _names_at(
                self.tree, path
            ):
                raise CannotTellError(path)


def _names_at(tree: Tree, path: str) -> list[str]:
    return [domain.name for domain in tree.home_of(path).domains]
