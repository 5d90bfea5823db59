"""The trees of one connection: found and watched, and updated by edits and changes on disk.

`ServedTrees` runs in the event loop and gives `TreeJobs` to the one worker, in order, so an answer
after an edit always includes it. The findings of an edited file are published at once; the effects
on other files and on the block follow when the user pauses.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from synapse_ls.live.live_tree import LiveTree, Progress, TreeChanges
from synapse_ls.lsp import convert, feature_table, root_discovery
from synapse_ls.lsp.background_work import Debouncer, WorkProgress
from synapse_ls.lsp.context_change import context_change, context_state
from synapse_ls.lsp.custom_messages import encode_report
from synapse_ls.lsp.editor_settings import EditorSettings
from synapse_ls.lsp.feature_context import FileContext, TreeContext
from synapse_ls.lsp.features.diagnostics import DiagnosticRenderer, Publication
from synapse_ls.lsp.file_watcher import FileWatcher
from synapse_ls.lsp.open_documents import Document, OpenDocuments
from synapse_ls.lsp.root_discovery import Root, Roots
from synapse_ls.queries.session_lookup import CURRENT_SESSION_HOURS
from synapse_ls.storage.current_plan import prepare_plan
from synapse_ls.storage.session_archive import parse_moment
from synapse_ls.workspace import tree_folders, tree_search_upward
from synapse_ls.workspace.file_watching import MAX_WAIT_SECONDS, QUIET_SECONDS, linked_folders
from synapse_ls.workspace.user_folders import folders_in_use

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server

# What edits mean for other files and for the block is worked out when a person pauses: seconds
# after the last key stroke, and at the latest.
_PAUSE, _LONGEST_TYPING = 0.1, 3.0

# An edit of a large manifest makes a hundred thousand short-lived objects without a cycle: at a
# lower threshold the collector runs with each key stroke, and takes a third of its time.
COLLECTION_THRESHOLDS = (300_000, 20, 100)


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What a job has changed in a tree.

    edited: the path whose buffer it took in or let go, None for any other job. is_due: whether
    rules that need several files have not looked at all of it yet. links: the linked folders, where
    they were looked at. is_gone: the tree's folder is there no longer. is_session_only: nothing but
    sessions may have changed.
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
    """The jobs that the worker does with a tree; every method is for its thread."""

    def __init__(self, documents: OpenDocuments, renderer: DiagnosticRenderer) -> None:
        self._documents = documents
        self._renderer = renderer

    def load(self, root: Root, session: str, progress: Progress, instructions: bool) -> JobOutcome:
        """Read a tree for the first time; ``instructions``: files such as ``CLAUDE.md`` are
        checked.
        """
        tree = root.tree = LiveTree(root.path, clock=time.time, checks_instructions=instructions)
        if session:
            tree.pin(session)
        if root.is_treeless:
            return JobOutcome()  # nothing but what is open counts
        changes = tree.load(progress)
        # Nearly all of it stays: each later collection would look through it in vain.
        gc.freeze()
        gc.set_threshold(*COLLECTION_THRESHOLDS)
        links = linked_folders(root.path)
        return replace(self._job_outcome(root, changes), context=True, status=True, links=links)

    def change(
        self, root: Root, action: Callable[[LiveTree], TreeChanges], edited: str | None = None
    ) -> JobOutcome:
        """Do something with a tree, which lets go of the buffer of ``edited``, if any."""
        return self._job_outcome(root, action(root.tree), edited)

    def take_buffer(self, root: Root, path: str, key: str, *, is_opened: bool) -> JobOutcome:
        """Let a buffer count in place of the file, or take in its latest text; what that means
        elsewhere is another job.
        """
        root.pending_buffers.discard(path)  # from here on a newer text is another job
        if (document := self._documents.find_by_path(key)) is None:
            return JobOutcome()
        take = root.tree.open if is_opened else root.tree.begin_edit
        return self._job_outcome(root, take(path, document.text), path)

    def check_disk(self, root: Root, paths: Set[str]) -> JobOutcome:
        """Look at files on disk again."""
        is_gone = not (root.is_treeless or tree_search_upward.holds_tree(root.path))
        # Hidden files lie beside sessions, too.
        visible = [
            path
            for path in paths
            if not path.rpartition("/")[2].startswith(".") or path in tree_folders.RULE_FOLDERS
        ]
        return replace(
            self._job_outcome(root, root.tree.update_from_disk(sorted(paths))),
            is_gone=is_gone,
            links=None if is_gone else linked_folders(root.path),
            is_session_only=bool(visible) and all(map(tree_folders.is_session_path, visible)),
        )

    def republish_all(self, root: Root) -> JobOutcome:
        """Return all diagnostics once more."""
        paths = {*root.tree.paths_with_diagnostics(), *root.buffers}
        return JobOutcome(self._publications(root, paths))

    def _job_outcome(
        self, root: Root, changes: TreeChanges, edited: str | None = None
    ) -> JobOutcome:
        paths = changes.diagnostics | ({edited} if edited is not None else set())
        publications, due = self._publications(root, paths), not root.tree.is_settled
        return JobOutcome(publications, changes.context, changes.status, edited, due)

    def _publications(
        self, root: Root, paths: Iterable[str]
    ) -> tuple[tuple[str, Publication], ...]:
        return tuple((path, self._renderer.publication(root, path)) for path in sorted(paths))


class ServedTrees:
    """The rule trees of one connection."""

    def __init__(self, server: Server, jobs: TreeJobs) -> None:
        self._server = server
        self._jobs = jobs
        self.roots = Roots()
        self.scan_finished = asyncio.Event()
        self._scan: asyncio.Future[root_discovery.FoundRoots] | None = None
        self._file_only_roots: Set[str] = frozenset()
        self._file_watcher = FileWatcher(server, self.path_changed)
        self._changed_paths: set[str] = set()  # on disk, absolute; not looked at yet
        self._look_at_disk = Debouncer(self._check_paths, QUIET_SECONDS, MAX_WAIT_SECONDS)

    # Which trees there are

    def close(self) -> None:
        """End the watching of files."""
        self._file_watcher.close()

    def find_trees(self) -> None:
        """Look again which trees there are. They are a function of folders, open files and disk."""
        files = self._open_paths()
        settings = self._server.settings
        folders_in_use.update(dict.fromkeys(self._server.folders, True))
        look = partial(root_discovery.find_roots, instructions=settings.instructions)
        self._scan = self._server.worker.run(look, self._server.folders, files, settings.depth)
        self._server.tasks.start(self._serve_scan(self._scan, files))

    def _open_paths(self) -> frozenset[str]:
        return frozenset(document.path for document in self._server.documents if document.path)

    async def _serve_scan(
        self, scan: asyncio.Future[root_discovery.FoundRoots], files: frozenset[str]
    ) -> None:
        try:
            paths, lent, treeless = await scan
        except Exception:
            # Nobody may wait for ever to learn which trees there are.
            self._scan = None
            self.scan_finished.set()
            raise
        if scan is not self._scan:
            return  # a later look knows better
        self._file_only_roots = lent
        for root in tuple(self.roots.values()):
            if root.path not in paths or root.is_treeless != (root.path in treeless):
                root.is_dropped = True
                del self.roots[root.path]
                root.catch_up.stop()
                if root.idle_timer:
                    root.idle_timer.cancel()
                self._server.publisher.forget(root)
        for path in paths:
            if path not in self.roots:
                self._add_root(Root(path, is_treeless=path in treeless))
        for document in self._server.documents:
            self._attach_buffer(document)
        self._scan = None
        self.scan_finished.set()
        if files != (now := self._open_paths()) and (
            any(self.roots.find_place(file) is None for file in now - files)
            or self._has_unused_root()
        ):
            self.find_trees()  # files were opened or closed while it was looked for trees
        await self._watch_files()

    def _add_root(self, root: Root) -> None:
        self.roots[root.path] = root
        start = self._server.tasks.start
        root.catch_up = Debouncer(lambda: start(self._catch_up(root)), _PAUSE, _LONGEST_TYPING)
        title = f"Reading {root.path.rpartition('/')[2]}"
        progress = WorkProgress(title, self._server.request_client, self._server.protocol.notify)
        settings = self._server.settings
        load = partial(self._jobs.load, instructions=settings.instructions)
        loading = self._submit_job(root, "loaded", load, settings.session, progress.report)
        loading.add_done_callback(lambda _: progress.end())
        if self._server.client.progress and not root.is_treeless:
            start(progress.begin())

    def _has_unused_root(self) -> bool:
        """Return whether something is served for open files alone and has none any more."""
        return any(
            root.path in self._file_only_roots and not root.buffers for root in self.roots.values()
        )

    async def find_place(self, path: str) -> tuple[Root, str] | None:
        """Return the tree that holds a path, and the path in it; wait for a scan that is under
        way.
        """
        await self.scan_finished.wait()
        place = self.roots.find_place(path)
        while place is None and self._scan is not None:
            await asyncio.wait([self._scan])
            await asyncio.sleep(0)
            place = self.roots.find_place(path)
        return place

    def file_context(self, root: Root, path: str, document: Document | None) -> FileContext | None:
        """Return a file as features see it; for the worker's thread. None where the tree has no
        such file.
        """
        site = self.tree_context(root)
        if (facts := site.view.tree.snapshot.facts(path)) is None:
            return None
        same = document is not None and document.text == facts.text
        map_ = document.map if document and same else convert.TextMap(facts.text, site.encoding)
        return FileContext(**vars(site), path=path, facts=facts, map=map_)

    def tree_context(self, root: Root) -> TreeContext:
        """Return a tree as features see it; for the worker's thread."""
        documents = self._server.documents
        uris = {
            inner: opened.uri
            for inner, key in tuple(root.buffers.items())
            if (opened := documents.find_by_path(key)) is not None
        }
        return TreeContext(
            root.tree.view(), root.path, documents.encoding, lambda at: uris.get(at, "")
        )

    # Buffers

    def document_opened(self, document: Document) -> None:
        """Take in a document that was opened."""
        if not self.scan_finished.is_set() or document.path is None:
            return  # it is attached when the trees are known
        self._attach_buffer(document)
        if self.roots.find_place(document.path) is None:
            self.find_trees()

    def document_changed(self, document: Document) -> None:
        """Take in that a document has another text."""
        key = convert.document_key(document.uri)
        for root in self.roots.values():
            for path, buffer in root.buffers.items():
                if buffer == key and path not in root.pending_buffers:
                    root.pending_buffers.add(path)
                    take = partial(self._jobs.take_buffer, is_opened=False)
                    self._submit_job(root, "buffer", take, path, key)

    def document_closed(self, document: Document) -> None:
        """Take in that a document was closed."""
        self._detach_buffer(convert.document_key(document.uri))
        if self._scan is None and self._has_unused_root():
            self.find_trees()

    def _attach_buffer(self, document: Document) -> None:
        """Give the document's buffer to the innermost tree that holds the document, and to no
        other.
        """
        if document.path is None:
            return
        key = convert.document_key(document.uri)
        place = self.roots.find_place(document.path)
        if place is not None and place[0].buffers.get(place[1]) == key:
            return
        self._detach_buffer(key)
        if place is not None:
            root, path = place
            root.buffers[path] = key
            root.pending_buffers.add(path)
            take = partial(self._jobs.take_buffer, is_opened=True)
            self._submit_job(root, "buffer", take, path, key)

    def _detach_buffer(self, key: str) -> None:
        for root in self.roots.values():
            for path in [path for path, buffer in root.buffers.items() if buffer == key]:
                del root.buffers[path]
                root.pending_buffers.discard(path)
                close = methodcaller("close", path)
                self._submit_job(root, "buffer", self._jobs.change, close, path)

    # The disk

    def path_changed(self, path: str) -> None:
        """Note that an absolute path may be different on disk."""
        self._changed_paths.add(path)
        self._look_at_disk()

    def _check_paths(self) -> None:
        """Have the trees look at the paths that may be different, once a burst of events is
        over.
        """
        paths, self._changed_paths = self._changed_paths, set()
        places: dict[str, tuple[Root, set[str]]] = {}
        is_new = False
        for path in paths:
            # A path can matter to several trees: one may lie in another, or be linked into it.
            inside = False
            for root in self.roots.values():
                if (inner := root.relative_path(path)) is not None:
                    inside = True
                    places.setdefault(root.path, (root, set()))[1].add(inner)
                elif root.path.startswith(f"{path}/") and not root.is_treeless:
                    places.setdefault(root.path, (root, set()))[1].add("")
                    inside = True
            is_new |= self._may_be_new_tree(path, inside)
        for root, inner_paths in places.values():
            self._submit_job(root, "files", self._jobs.check_disk, inner_paths)
        if is_new:
            self.find_trees()

    def _may_be_new_tree(self, path: str, inside: bool) -> bool:
        """Return whether a path can be the sign of a tree that is not served yet."""
        for sign in tree_folders.ROOT_MARK_TOPS:
            head, separator, rest = path.partition(f"/{sign}")
            if separator and not rest.partition("/")[0]:
                place = self.roots.find_place(head)
                return head not in self.roots.trees and (place is None or place[1] == "")
        return not inside and path in self._server.folders

    # Settings

    def settings_changed(self, before: EditorSettings, now: EditorSettings) -> None:
        """Take in that the person's settings have changed."""
        jobs: list[Callable[[Root], JobOutcome]] = []
        if (now.diagnostics, now.findings) != (before.diagnostics, before.findings):
            jobs.append(self._jobs.republish_all)
        if now.session != before.session:
            jobs.append(partial(self._jobs.change, action=methodcaller("pin", now.session or None)))
        if now.instructions != before.instructions:
            check = methodcaller("check_instructions", now.instructions)
            jobs.append(partial(self._jobs.change, action=check))
        for job in jobs:
            for root in self.roots.values():
                self._submit_job(root, "configuration", job)
        if (now.depth, now.instructions) != (before.depth, before.instructions):
            self.find_trees()
        elif now.watch != before.watch:
            self._server.tasks.start(self._watch_files())

    async def _watch_files(self) -> None:
        await self._file_watcher.update(self.roots.trees.values())

    async def pin_session(self, root: Root, session: str) -> None:
        """Follow a session of a tree, the newest again for ""."""
        pin = methodcaller("pin", session or None)
        await self._submit_job(root, "session", self._jobs.change, pin)

    # Jobs and what comes of them

    def _submit_job(
        self, root: Root, reason: str, job: Callable[..., JobOutcome], *args: Any
    ) -> asyncio.Future[JobOutcome]:
        """Give the worker a job now, so that jobs run in the order of what caused them."""
        done = self._server.worker.run(job, root, *args)
        self._server.tasks.start(self._finish_job(root, reason, done))
        return done

    async def _finish_job(self, root: Root, reason: str, done: asyncio.Future[JobOutcome]) -> None:
        outcome = await done
        if root.is_dropped:
            return
        if outcome.is_session_only:
            reason = "session"
        if outcome.is_gone:
            self.find_trees()
            return
        self._server.publisher.publish(root, outcome.publications, outcome.edited)
        if reason != "loaded":
            self._server.refresh_views(edited=reason == "buffer", open_files=len(root.buffers))
        if not outcome.is_due:
            root.settled.set()
        elif root.settled.is_set():
            root.settled.clear()
            root.due_since = time.monotonic()
        if outcome.is_due or outcome.edited is not None:
            root.catch_up()
        if outcome.links is not None and outcome.links != root.links:
            root.links = outcome.links
            for document in self._server.documents:
                self._attach_buffer(document)
            await self._watch_files()
        elif reason == "files":
            await self._watch_files()
        if root.is_treeless:
            return
        if reason == "files":
            await self._server.reader.run(prepare_plan, root.path)  # for the hook's next prompt
        if outcome.context or outcome.status or reason == "session":
            await self._announce_context(root, reason)

    async def _catch_up(self, root: Root) -> None:
        """Run the rules that need several files after edits, then announce what became of the
        block.
        """
        worker = self._server.worker
        latest = root.due_since + _LONGEST_TYPING

        def gives_way() -> bool:
            return worker.has_waiting_jobs and time.monotonic() < latest

        settle = methodcaller("settle", gives_way)
        settling = self._submit_job(root, "buffer", self._jobs.change, settle)
        if not ((await settling).is_due or root.is_treeless or root.is_dropped):
            await self._announce_context(root, "buffer")

    async def _announce_context(self, root: Root, reason: str) -> None:
        view = await self._server.worker.run(root.tree.view)
        state = await self._server.reader.run(context_state, view)
        if root.is_dropped:
            return
        change = context_change(root, root.context, state, reason)
        root.context = state
        if change is not None:
            self._server.protocol.notify(feature_table.DID_CHANGE_CONTEXT, encode_report(change))
        # Look again when the current session will have been idle for too long to be current.
        if root.idle_timer:
            root.idle_timer.cancel()
        last = parse_moment(state.last_activity)
        seconds = 0.0 if last is None else last + CURRENT_SESSION_HOURS * 3600 - time.time() + 1
        if seconds > 0:
            root.idle_timer = asyncio.get_running_loop().call_later(
                seconds, lambda: self._submit_job(root, "session", self._jobs.check_disk, set())
            )
