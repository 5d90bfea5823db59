"""This module defines the jobs that the worker does with a tree (load, open, edit, close, look at
the disk), one at a time, and what each has changed.

Reading, parsing, checking and turning findings into the protocol's terms all happen here, in one
job, so that a text, its version and what is said about it always belong together.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.lsp.diagnostics_publisher import DiagnosticRenderer, Publication
from synapse_ls.lsp.open_documents import OpenDocuments
from synapse_ls.lsp.tree_roots import Root
from synapse_ls.memory.memory_paths import may_hold_memories
from synapse_ls.workspace.file_watching import linked_folders
from synapse_ls.workspace.tree_discovery import holds_tree
from synapse_ls.workspace.tree_folders import RULE_FOLDERS, is_session_path

if TYPE_CHECKING:
    from synapse_ls.live.live_tree import Progress, TreeChanges


class JobOutcome(NamedTuple):
    """A JobOutcome is what a job has changed in a tree.

    edited: the path whose buffer it took in or let go, None for any other job. is_due: whether rules that
    need several files have not looked at all of it yet. links: the linked folders, where they were
    looked at. is_gone: the tree's folder is there no longer. is_session_only: nothing but sessions
    may have changed.
    """

    publications: tuple[tuple[str, Publication], ...] = ()
    context: bool = False
    status: bool = False
    edited: str | None = None
    is_due: bool = False
    links: tuple[tuple[str, str], ...] | None = None
    is_gone: bool = False
    is_session_only: bool = False


class TreeJobs:
    """TreeJobs are the jobs that the worker does with a tree; every method is for its thread."""

    def __init__(self, documents: OpenDocuments, renderer: DiagnosticRenderer) -> None:
        self._documents = documents
        self._renderer = renderer

    def preview(self, root: Root, path: str, key: str) -> Publication | None:
        """Returns what is wrong with an open file by itself, before its tree was loaded; for the
        reader's thread.
        """
        from synapse_ls.live.file_preview import preview_file

        document = self._documents.find_by_path(key)
        if document is None:
            return None
        found = preview_file(root.path, path, document.text)
        return self._renderer.preview(root, path, document, found)

    def load(self, root: Root, session: str, progress: Progress, instructions: bool) -> JobOutcome:
        """Reads a tree for the first time; ``instructions``: files such as ``CLAUDE.md`` are
        checked.
        """
        # Imported here: the answer to `initialize` need not wait for it.
        from synapse_ls.live.live_tree import LiveTree

        tree = LiveTree(
            root.path,
            clock=time.time,
            remembers=not root.is_treeless,
            checks_instructions=instructions,
        )
        if session:
            tree.pin(session)
        root.tree = tree
        if root.is_treeless:
            return JobOutcome()  # nothing but what is open counts
        changes = tree.load(progress)
        # Nearly all of it stays: each later collection would look through it in vain.
        gc.freeze()
        # An edit of a large manifest makes tens of thousands of short-lived objects without a cycle:
        # at lower thresholds the collector runs several times per key stroke and doubles its time.
        gc.set_threshold(100_000, 20, 100)
        return self._job_outcome(root, changes)._replace(
            context=True, status=True, links=linked_folders(root.path)
        )

    def open(self, root: Root, path: str, key: str) -> JobOutcome:
        """Lets a buffer count in place of the file."""
        return self._take_buffer(root, path, key, root.tree.open)

    def prepare_edits(self, root: Root, path: str) -> None:
        """Reads what the first edit of an open file needs."""
        if not root.is_dropped:
            root.tree.prepare_edits(path)

    def edit(self, root: Root, path: str, key: str) -> JobOutcome:
        """Takes in the latest text of a buffer; what that means elsewhere is another job."""
        return self._take_buffer(root, path, key, root.tree.begin_edit)

    def settle(self, root: Root, stop: Callable[[], bool]) -> JobOutcome:
        """Looks at what edits have made due, until ``stop`` says that others wait."""
        return self._job_outcome(root, root.tree.settle(stop))

    def close(self, root: Root, path: str) -> JobOutcome:
        """Lets the file count again."""
        return self._job_outcome(root, root.tree.close(path), path)

    def check_disk(self, root: Root, paths: Iterable[str]) -> JobOutcome:
        """Looks at files on disk again."""
        gone = not (root.is_treeless or holds_tree(root.path))
        changes = root.tree.update_from_disk(paths)
        return self._job_outcome(root, changes)._replace(
            is_gone=gone, links=None if gone else linked_folders(root.path)
        )

    def check_changed_paths(self, root: Root) -> JobOutcome:
        """Looks at all that has changed on disk until now, however many events reported it."""
        paths = root.changed_paths.take()
        if not root.is_treeless and any(map(may_hold_memories, paths)):
            from synapse_ls.memory.stored_index import doubt_changed_files

            doubt_changed_files(root.path, paths)
        return self.check_disk(root, sorted(paths))._replace(
            is_session_only=_is_session_only(paths)
        )

    def pin(self, root: Root, session: str) -> JobOutcome:
        """Follows a session."""
        return self._job_outcome(root, root.tree.pin(session or None))

    def check_instructions(self, root: Root, wanted: bool) -> JobOutcome:
        """Checks open files of instructions that no tree tells, or does so no longer."""
        return self._job_outcome(root, root.tree.check_instructions(wanted))

    def republish_all(self, root: Root) -> JobOutcome:
        """Returns all diagnostics once more."""
        paths = {*root.tree.paths_with_diagnostics(), *root.buffers}
        return JobOutcome(self._publications(root, paths))

    def _take_buffer(
        self, root: Root, path: str, key: str, take: Callable[[str, str], TreeChanges]
    ) -> JobOutcome:
        root.pending_buffers.discard(path)  # from here on a newer text is another job
        document = self._documents.find_by_path(key)
        if document is None:
            return JobOutcome()
        return self._job_outcome(root, take(path, document.text), path)

    def _job_outcome(
        self, root: Root, changes: TreeChanges, edited: str | None = None
    ) -> JobOutcome:
        paths = changes.diagnostics | ({edited} if edited is not None else set())
        found, due = self._publications(root, paths), not root.tree.is_settled
        return JobOutcome(found, changes.context, changes.status, edited, due)

    def _publications(
        self, root: Root, paths: Iterable[str]
    ) -> tuple[tuple[str, Publication], ...]:
        return tuple((path, self._renderer.publication(root, path)) for path in sorted(paths))


def _is_session_only(paths: Iterable[str]) -> bool:
    """Returns whether nothing but sessions, and hidden files beside them, may have changed."""
    visible = [
        path
        for path in paths
        if not path.rpartition("/")[2].startswith(".") or path in RULE_FOLDERS
    ]
    return bool(visible) and all(map(is_session_path, visible))
