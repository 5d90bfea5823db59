"""This module is ``synapse check --watch``: it checks again what a change can have touched, for as
long as nobody ends it.

An event says no more than that something may be different: all stamps are compared then, and only
what really changed is read. Our own reading makes no events (``workspace/disk_watcher.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.check_scope import OpenedTree, filter_tree
from synapse_ls.cli.watch_loop import follow_changes, watched_folders
from synapse_ls.lint.incremental_diagnostics import IncrementalDiagnostics
from synapse_ls.workspace.index_keys import changed_paths
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG, SESSIONS
from synapse_ls.workspace.tree_loader import refresh_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from synapse_ls.cli.check_scope import CheckScope
    from synapse_ls.cli.console_progress import Progress
    from synapse_ls.cli.formats.check_report import CheckedTree
    from synapse_ls.workspace.watch_targets import WatchedFolder

_REFRESHED_PATHS = (CONFIG, "")
_SESSIONS_PART = f"/{SESSIONS}/"  # written with every prompt, and never linted


class WatchedTree:
    """A WatchedTree is a tree that ``synapse check`` watches, with its findings, kept up to date."""

    def __init__(self, scope: CheckScope, progress: Progress) -> None:
        opened = OpenedTree(scope, progress)
        self._scope = scope
        self._loaded = opened.loaded
        self._tree = opened.tree
        self._results = IncrementalDiagnostics(opened.tree, opened.loaded.notes, scope.policy)

    def refresh_findings(self) -> bool:
        """Looks at the disk; returns whether there is now something else to be shown."""
        keys = refresh_tree(self._loaded, _REFRESHED_PATHS)
        before = self.current_report()
        snapshot = self._loaded.index.snapshot()
        config = snapshot.config is not self._tree.snapshot.config
        self._tree = Tree(snapshot) if config else Tree(snapshot, self._tree, changed_paths(keys))
        self._results.update(self._tree, keys, self._loaded.notes)
        now = self.current_report()
        return (now.findings, now.hidden_count) != (before.findings, before.hidden_count)

    def current_report(self) -> CheckedTree:
        """Returns what is to be shown."""
        by_path = self._results.by_path
        found = tuple(d for path in sorted(by_path) for d in by_path[path])
        return filter_tree(self._scope, self._tree, found)

    def folders(self) -> frozenset[WatchedFolder]:
        """Returns the folders in which something can happen that concerns the tree."""
        return watched_folders(self._loaded.root, self._tree)


def watch_trees(
    scopes: Sequence[CheckScope],
    progress: Progress,
    report: Callable[[Sequence[CheckedTree]], bool],
) -> None:
    """Watches trees for ``synapse check --watch``: calls ``report`` with what is to be shown, now
    and whenever it changes, until it returns that nobody reads any more, or until interrupted.
    """
    trees = [WatchedTree(one, progress) for one in scopes]
    progress.end()
    told = False

    def report_changes() -> bool:
        nonlocal told
        is_read = True
        changed = [tree.refresh_findings() for tree in trees] if told else [True]
        if any(changed):
            is_read = report([tree.current_report() for tree in trees])
        told = True
        return is_read

    def folders() -> frozenset[WatchedFolder]:
        return frozenset().union(*(tree.folders() for tree in trees))

    follow_changes(folders, report_changes, concerns=lambda path: _SESSIONS_PART not in path)
