"""What the worker does with trees, one job at a time, and what comes of it.

Reading, parsing, checking and turning findings into the protocol's terms all happen here, in one
job, so that a text, its version and what is said about it always belong together.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.lsp.diagnostics import Publication, Renderer
from synapse_ls.lsp.documents import Documents
from synapse_ls.lsp.roots import Root
from synapse_ls.workspace.discover import holds_tree
from synapse_ls.workspace.folders import RULE_FOLDERS, is_session
from synapse_ls.workspace.watched import links_of

if TYPE_CHECKING:
    from synapse_ls.service.live.tree import Changes


class Outcome(NamedTuple):
    """What a job has changed.

    edited: the path whose buffer it took in, None for any other job. due: whether rules that need
    several files have not looked at all of it yet. links: as of `links_of` where they
    were looked at. gone: the tree's folder is there no longer. session: nothing but sessions may
    have changed.
    """

    found: tuple[tuple[str, Publication], ...] = ()
    context: bool = False
    status: bool = False
    edited: str | None = None
    due: bool = False
    links: tuple[tuple[str, str], ...] | None = None
    gone: bool = False
    session: bool = False


class Jobs:
    """The jobs; every method is for the worker's thread."""

    def __init__(self, documents: Documents, renderer: Renderer) -> None:
        self._documents = documents
        self._renderer = renderer

    def load(self, root: Root, session: str, progress: Callable[[int, int], None]) -> Outcome:
        """Read a tree for the first time."""
        # Imported here: the answer to `initialize` need not wait for it.
        from synapse_ls.service.live.tree import LiveTree

        tree = LiveTree(root.path, clock=time.time)
        if session:
            tree.pin(session)
        root.tree = tree
        changes = tree.load(progress)
        # Nearly all of it stays: each later collection would look through it in vain.
        gc.freeze()
        # An edit of a large manifest makes tens of thousands of short-lived objects without a cycle:
        # at lower thresholds the collector runs several times per key stroke and doubles its time.
        gc.set_threshold(100_000, 20, 100)
        return self._outcome(root, changes)._replace(
            context=True, status=True, links=links_of(root.path)
        )

    def open(self, root: Root, path: str, key: str) -> Outcome:
        """Let a buffer count in place of the file."""
        return self._take_in(root, path, key, root.tree.open)

    def edit(self, root: Root, path: str, key: str) -> Outcome:
        """Take in the latest text of a buffer; what that means elsewhere is another job."""
        return self._take_in(root, path, key, root.tree.begin)

    def settle(self, root: Root, stop: Callable[[], bool]) -> Outcome:
        """Look at what edits have made due, until ``stop`` says that others wait."""
        return self._outcome(root, root.tree.settle(stop))

    def close(self, root: Root, path: str) -> Outcome:
        """Let the file count again."""
        return self._outcome(root, root.tree.close(path), path)

    def on_disk(self, root: Root, paths: Iterable[str]) -> Outcome:
        """Look at files again."""
        gone = not holds_tree(root.path)
        changes = root.tree.on_disk(paths)
        return self._outcome(root, changes)._replace(
            gone=gone, links=None if gone else links_of(root.path)
        )

    def changed(self, root: Root) -> Outcome:
        """Look at all that has changed on disk until now, however many told of it."""
        paths = root.changed.take()
        return self.on_disk(root, sorted(paths))._replace(session=_is_session_only(paths))

    def pin(self, root: Root, session: str) -> Outcome:
        """Follow a session."""
        return self._outcome(root, root.tree.pin(session or None))

    def everything(self, root: Root) -> Outcome:
        """All there is to say, once more."""
        paths = {*root.tree.paths_with_diagnostics(), *root.buffers}
        return Outcome(self._found(root, paths))

    def _take_in(
        self, root: Root, path: str, key: str, take: Callable[[str, str], Changes]
    ) -> Outcome:
        root.pending.discard(path)  # from here on a newer text is another job
        document = self._documents.at(key)
        if document is None:
            return Outcome()
        return self._outcome(root, take(path, document.text), path)

    def _outcome(self, root: Root, changes: Changes, edited: str | None = None) -> Outcome:
        paths = changes.diagnostics | ({edited} if edited is not None else set())
        found, due = self._found(root, paths), not root.tree.is_settled
        return Outcome(found, changes.context, changes.status, edited, due)

    def _found(self, root: Root, paths: Iterable[str]) -> tuple[tuple[str, Publication], ...]:
        return tuple((path, self._renderer.publication(root, path)) for path in sorted(paths))


def _is_session_only(paths: Iterable[str]) -> bool:
    """Whether nothing but sessions, and hidden files beside them, may have changed."""
    visible = [
        path
        for path in paths
        if not path.rpartition("/")[2].startswith(".") or path in RULE_FOLDERS
    ]
    return bool(visible) and all(map(is_session, visible))
