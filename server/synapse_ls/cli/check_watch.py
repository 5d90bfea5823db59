"""``--watch``: checking again what a change can have touched, for as long as nobody ends it.

An event says no more than that something may be different: all stamps are compared then, and only
what really changed is read. Our own reading makes no events (``workspace/disk_watch.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.check_tree import Opened, checked
from synapse_ls.cli.watching import folders_of, follow
from synapse_ls.lint.incremental import Results
from synapse_ls.workspace.folders import CONFIG, SESSIONS
from synapse_ls.workspace.keys import paths_in
from synapse_ls.workspace.loader import refresh
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from synapse_ls.cli.check_tree import Asked
    from synapse_ls.cli.formats.report import Checked
    from synapse_ls.cli.progress import Progress
    from synapse_ls.workspace.watched import Spec

_EVERYTHING = (CONFIG, "")
_OURS_ONLY = f"/{SESSIONS}/"  # written with every prompt, and never linted


class Followed:
    """A tree with its findings, kept up to date."""

    def __init__(self, asked: Asked, progress: Progress) -> None:
        opened = Opened(asked, progress)
        self._asked = asked
        self._loaded = opened.loaded
        self._tree = opened.tree
        self._results = Results(opened.tree, opened.loaded.notes, asked.policy)

    def again(self) -> bool:
        """Look at the disk; whether there is now something else to be shown."""
        keys = refresh(self._loaded, _EVERYTHING)
        before = self.checked().found
        snapshot = self._loaded.index.snapshot()
        config = snapshot.config is not self._tree.snapshot.config
        self._tree = Tree(snapshot) if config else Tree(snapshot, self._tree, paths_in(keys))
        self._results.update(self._tree, keys, self._loaded.notes)
        return self.checked().found != before

    def checked(self) -> Checked:
        """What is to be shown."""
        by_path = self._results.by_path
        found = tuple(d for path in sorted(by_path) for d in by_path[path])
        return checked(self._asked, self._tree, found)

    def folders(self) -> frozenset[Spec]:
        """The folders in which something can happen that concerns the tree."""
        return folders_of(self._loaded.root, self._tree)


def watch(
    asked: Sequence[Asked], progress: Progress, tell: Callable[[Sequence[Checked]], None]
) -> None:
    """Call ``tell`` with what is to be shown, now and whenever it changes, until interrupted."""
    trees = [Followed(one, progress) for one in asked]
    progress.end()
    told = False

    def look() -> None:
        nonlocal told
        changed = [tree.again() for tree in trees] if told else [True]
        if any(changed):
            tell([tree.checked() for tree in trees])
        told = True

    def folders() -> frozenset[Spec]:
        return frozenset().union(*(tree.folders() for tree in trees))

    follow(folders, look, concerns=lambda path: _OURS_ONLY not in path)
