"""This module keeps the served trees up to date: it finds them, hands edits and changes on disk
to the worker, publishes diagnostics, and sends ``synapse/didChangeContext``.

Everything here runs in the event loop and hands the work itself to the one worker, whose jobs run
in the order in which they were given. So an answer that is asked for after an edit always knows of
it, and a job that is still waiting takes in the latest text: nobody has to wait for a burst of
typing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

from synapse_ls.lsp import feature_table, tree_roots
from synapse_ls.lsp.background_work import Debouncer, WorkProgress
from synapse_ls.lsp.convert import TextMap, document_key
from synapse_ls.lsp.editor_settings import EditorSettings
from synapse_ls.lsp.feature_context import FileContext, TreeContext
from synapse_ls.lsp.file_watcher import FileWatcher, PathBurst
from synapse_ls.lsp.open_documents import Document
from synapse_ls.lsp.tree_jobs import JobOutcome, TreeJobs
from synapse_ls.lsp.tree_roots import Root, Roots
from synapse_ls.storage.current_plan import prepare_plan
from synapse_ls.workspace.file_watching import MAX_WAIT_SECONDS, QUIET_SECONDS
from synapse_ls.workspace.tree_folders import ROOT_MARK_TOPS

if TYPE_CHECKING:
    from synapse_ls.lsp.context_change import ContextState
    from synapse_ls.lsp.diagnostics_publisher import Publication
    from synapse_ls.lsp.language_server import Server


# A block is assembled when a person pauses: seconds after the last keystroke, and at the latest.
_PAUSE, _LONGEST_TYPING = 0.2, 1.0

# A tree that takes longer than this to be loaded, in seconds, has its open files checked alone meanwhile.
_PREVIEW_DELAY = 0.3

# Seconds that the reading of a tree waits at most for open files to be checked alone; of these for the client
# to open one, to ask for what is wrong with it, and for the answer to be on its way.
_LONGEST_PREVIEW, _LONGEST_OPENING, _LONGEST_SILENCE, _ANSWER_SECONDS = 1.0, 0.1, 0.3, 0.02

# Rules that need several files give way to key strokes for so many seconds.
_KEYSTROKE_PRIORITY = 0.1


class ServedTrees:
    """ServedTrees are the rule trees of one connection."""

    def __init__(self, server: Server, jobs: TreeJobs) -> None:
        self._server = server
        self._jobs = jobs
        self.roots = Roots()
        self.scan_finished = asyncio.Event()
        self.previewed = asyncio.Event()
        """Set when the reading of trees begins."""
        self.answered = asyncio.Event()
        """Set when the client has been told of an open file before its tree was read."""
        self._opened = asyncio.Event()
        self._scan: asyncio.Future[tree_roots.FoundRoots] | None = None
        self._file_only_roots: Set[str] = frozenset()
        self._states: dict[str, ContextState] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._typing_timers: dict[str, Debouncer] = {}
        self._file_watcher = FileWatcher(server, self.path_changed)
        self._disk_changes = PathBurst(
            self._look_at_paths,
            Debouncer(self._flush_disk_changes, QUIET_SECONDS, MAX_WAIT_SECONDS),
        )

    # Which trees there are

    def start(self) -> None:
        """Looks for trees, and serves what is found."""
        self.find_trees()

    def close(self) -> None:
        """Ends the watching of files."""
        self._file_watcher.close()

    def find_trees(self) -> None:
        """Looks again which trees there are. They are a function of folders, open files and disk."""
        folders = self._server.folders.paths
        files = self._open_paths()
        settings = self._server.settings
        look = partial(tree_roots.find_roots, instructions=settings.instructions)
        scan = self._server.worker.run(look, folders, files, settings.depth)
        self._scan = scan
        self._server.tasks.start(self._serve_scan(scan, files))

    def _open_paths(self) -> frozenset[str]:
        return frozenset(document.path for document in self._server.documents if document.path)

    async def _serve_scan(
        self, scan: asyncio.Future[tree_roots.FoundRoots], files: frozenset[str]
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
        for root in self.roots:
            if root.path not in paths or root.is_treeless != (root.path in treeless):
                self._drop_root(root)
        new = (path for path in paths if path not in self.roots)
        self._add_roots([Root(path, is_treeless=path in treeless) for path in new])
        self._scan = None
        self.scan_finished.set()
        if files != (now := self._open_paths()) and (
            any(self.roots.find_place(file) is None for file in now - files)
            or self._has_unused_root()
        ):
            self.find_trees()  # files were opened or closed while it was looked for trees
        await self._watch_files()

    def _add_roots(self, roots: Sequence[Root]) -> None:
        """Serves more trees. Where the client asks for the findings of open files, these are checked
        alone before the trees are read: both would share one interpreter, and a person looks at the files.
        """
        previewed = Event()
        if roots and self._server.client.pull:
            self._server.worker.run(previewed.wait, _LONGEST_PREVIEW)
        progress = [self._add_root(root) for root in roots]
        for document in self._server.documents:
            self._attach_buffer(document)
        self._server.tasks.start(self._begin_loading(roots, previewed, progress))

    async def _begin_loading(
        self, roots: Sequence[Root], previewed: Event, progress: Iterable[WorkProgress | None]
    ) -> None:
        try:
            if roots and self._server.client.pull:
                await self._preview_open_files(roots)
        finally:
            previewed.set()
            self.previewed.set()
        for one in progress:
            if one is not None:
                self._server.tasks.start(one.begin())

    async def _preview_open_files(self, roots: Sequence[Root]) -> None:
        """Has the open files of some trees checked alone, and waits until the client was told of one."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._opened.wait(), _LONGEST_OPENING)
        for root in roots:
            for path in tuple(root.buffers):
                await self.preview_document(root, path)
        if any(root.buffers for root in roots):
            with suppress(TimeoutError):
                await asyncio.wait_for(self.answered.wait(), _LONGEST_SILENCE)
                await asyncio.sleep(_ANSWER_SECONDS)

    def _add_root(self, root: Root) -> WorkProgress | None:
        """Serves another tree; returns the progress that the client is to show, if any."""
        self.roots.add(root)
        progress = WorkProgress(
            f"Reading {root.path.rpartition('/')[2]}",
            self._server.request_client,
            self._server.protocol.notify,
        )
        settings = self._server.settings
        loading = self._submit_job(
            root,
            "loaded",
            self._jobs.load,
            settings.session,
            progress.report,
            settings.instructions,
        )
        loading.add_done_callback(lambda _: progress.end())
        return progress if self._server.client.progress and not root.is_treeless else None

    def _has_unused_root(self) -> bool:
        """Returns whether something is served for open files alone and has none any more."""
        return any(root.path in self._file_only_roots and not root.buffers for root in self.roots)

    def _drop_root(self, root: Root) -> None:
        self.roots.remove(root)
        self._states.pop(root.path, None)
        if timer := self._timers.pop(root.path, None):
            timer.cancel()
        if typing := self._typing_timers.pop(root.path, None):
            typing.stop()
        self._server.publisher.forget(root)

    async def find_place(self, path: str) -> tuple[Root, str] | None:
        """Returns the tree that holds a path, and the path in it; waits for a scan that is under
        way.
        """
        await self.scan_finished.wait()
        place = self.roots.find_place(path)
        while place is None and self._scan is not None:
            await asyncio.wait([self._scan])
            await asyncio.sleep(0)
            place = self.roots.find_place(path)
        return place

    async def first_root(self) -> Root | None:
        """Returns the first tree, in the order of the client's folders."""
        await self.scan_finished.wait()
        return self.roots.first_in(self._server.folders.paths)

    def file_context(self, root: Root, path: str, document: Document | None) -> FileContext | None:
        """Returns a file as features see it; for the worker's thread. None where the tree has no
        such file.
        """
        site = self.tree_context(root)
        facts = site.view.tree.snapshot.facts(path)
        if facts is None:
            return None
        same = document is not None and document.text == facts.text
        map_ = document.map if document and same else TextMap(facts.text, site.encoding)
        return FileContext(site.view, site.root, path, facts, map_, site.encoding, site.uri_of_path)

    def tree_context(self, root: Root) -> TreeContext:
        """Returns a tree as features see it; for the worker's thread."""
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
        """Takes in a document that was opened."""
        self._opened.set()
        if not self.scan_finished.is_set() or document.path is None:
            return  # it is attached when the trees are known
        self._attach_buffer(document)
        if self.roots.find_place(document.path) is None:
            self.find_trees()

    def document_changed(self, document: Document) -> None:
        """Takes in that a document has another text."""
        key = document_key(document.uri)
        for root in self.roots:
            for path, buffer in root.buffers.items():
                if buffer == key and path not in root.pending_buffers:
                    root.pending_buffers.add(path)
                    root.pause.note_key(len(document.text))
                    self._submit_job(root, "buffer", self._jobs.edit, path, key)
                    self._preview_soon(root)

    def document_closed(self, document: Document) -> None:
        """Takes in that a document was closed."""
        self._detach_buffer(document_key(document.uri))
        if self._scan is None and self._has_unused_root():
            self.find_trees()

    def _attach_buffer(self, document: Document) -> None:
        """Gives the document's buffer to the innermost tree that holds the document, and to no
        other.
        """
        if document.path is None:
            return
        key = document_key(document.uri)
        place = self.roots.find_place(document.path)
        if place is not None and place[0].buffers.get(place[1]) == key:
            return
        self._detach_buffer(key)
        if place is not None:
            root, path = place
            root.buffers[path] = key
            root.pending_buffers.add(path)
            self._submit_job(root, "buffer", self._jobs.open, path, key)
            self._server.tasks.start(self._prepare_edits(root, path))
            self._preview_soon(root)

    async def _prepare_edits(self, root: Root, path: str) -> None:
        await self._server.worker.run(self._jobs.prepare_edits, root, path)

    def _preview_soon(self, root: Root) -> None:
        """Has the open files of a tree that is still being loaded checked alone."""
        if not (root.loaded.is_set() or root.is_previewing):
            root.is_previewing = True
            self._server.tasks.start(self._preview(root))

    async def _preview(self, root: Root) -> None:
        await asyncio.sleep(_PREVIEW_DELAY)
        root.is_previewing = False
        for path in tuple(root.buffers):
            found = await self.preview_document(root, path)
            if found and not (root.loaded.is_set() or root.is_dropped):
                self._server.publisher.publish(root, ((path, found),), None)

    async def preview_document(self, root: Root, path: str) -> Publication | None:
        """Returns what is wrong with an open file whatever the others say; None for a file that is
        not open.
        """
        key = root.buffers.get(path)
        return await self._server.reader.run(self._jobs.preview, root, path, key) if key else None

    def _detach_buffer(self, key: str) -> None:
        for root in self.roots:
            for path in [path for path, buffer in root.buffers.items() if buffer == key]:
                del root.buffers[path]
                root.pending_buffers.discard(path)
                self._submit_job(root, "buffer", self._jobs.close, path)

    # The disk

    def path_changed(self, path: str) -> None:
        """Notes that a path may be different on disk."""
        self._disk_changes.add(path)

    def _flush_disk_changes(self) -> None:
        self._disk_changes.flush()

    def _look_at_paths(self, paths: frozenset[str]) -> None:
        places: dict[str, tuple[Root, set[str]]] = {}
        is_new = False
        for path in paths:
            # A path can matter to several trees: one may lie in another, or be linked into it.
            inside = False
            for root in self.roots:
                inner = root.relative_path(path)
                if inner is not None:
                    inside = True
                    places.setdefault(root.path, (root, set()))[1].add(inner)
                elif root.path.startswith(f"{path}/") and not root.is_treeless:
                    places.setdefault(root.path, (root, set()))[1].add("")
                    inside = True
            is_new |= self._may_be_new_tree(path, inside)
        for root, inner_paths in places.values():
            # A job that waits already looks at these too.
            if root.changed_paths.add(inner_paths):
                self._submit_job(root, "files", self._jobs.check_changed_paths)
        if is_new:
            self.find_trees()

    def _may_be_new_tree(self, path: str, inside: bool) -> bool:
        """Returns whether a path can be the sign of a tree that is not served yet."""
        for sign in ROOT_MARK_TOPS:
            head, found, rest = path.partition(f"/{sign}")
            if found and not rest.partition("/")[0]:
                return head not in self.roots.trees and not self._is_squad(head)
        return not inside and path in self._server.folders.paths

    def _is_squad(self, folder: str) -> bool:
        place = self.roots.find_place(folder)
        return place is not None and place[1] != ""

    # Settings

    def settings_changed(self, before: EditorSettings, now: EditorSettings) -> None:
        """Takes in that the person's settings have changed."""
        if (now.diagnostics, now.findings) != (before.diagnostics, before.findings):
            for root in self.roots:
                self._submit_job(root, "configuration", self._jobs.republish_all)
        if now.session != before.session:
            for root in self.roots:
                self._submit_job(root, "configuration", self._jobs.pin, now.session)
        if now.instructions != before.instructions:
            for root in self.roots:
                self._submit_job(
                    root, "configuration", self._jobs.check_instructions, now.instructions
                )
        if (now.depth, now.instructions) != (before.depth, before.instructions):
            self.find_trees()
        elif now.watch != before.watch:
            self._server.tasks.start(self._watch_files())

    async def _watch_files(self) -> None:
        await self._file_watcher.update(self.roots.trees.values())

    async def pin_session(self, root: Root, session: str) -> None:
        """Follows a session of a tree, the newest again for ""."""
        await self._submit_job(root, "session", self._jobs.pin, session)

    # Jobs and what comes of them

    def _submit_job(
        self, root: Root, reason: str, job: Callable[..., JobOutcome], *args: Any
    ) -> asyncio.Future[JobOutcome]:
        """Gives the worker a job now, so that jobs run in the order of what caused them."""
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
        self._publish_outcome(root, reason, outcome)
        if outcome.is_due and not root.is_settling:
            root.settled.clear()
            self._server.tasks.start(self._settle_edits(root))
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
            if reason == "loaded":
                await self._server.reader.run(root.tree.store_findings)  # for the next start
        elif outcome.edited is not None:
            self._announce_after_pause(root)

    def _publish_outcome(self, root: Root, reason: str, outcome: JobOutcome) -> None:
        """Publishes the diagnostics of a job, and has the client ask again for what it shows."""
        if reason == "loaded":
            root.loaded.set()
        self._server.publisher.publish(root, outcome.publications, outcome.edited)
        if reason != "loaded":
            self._server.refresher(edited=reason == "buffer", open_files=len(root.buffers))

    async def _settle_edits(self, root: Root) -> None:
        """Runs the rules that need several files, behind all jobs that wait already."""
        loop, worker, pause = asyncio.get_running_loop(), self._server.worker, root.pause
        since = loop.time()

        def gives_way() -> bool:
            return worker.has_waiting_jobs and loop.time() < until

        try:
            is_due = True
            while is_due and not root.is_dropped:
                await pause.wait(_KEYSTROKE_PRIORITY, since)
                begun, until = loop.time(), pause.give_way_until(_KEYSTROKE_PRIORITY, since)
                settling = self._submit_job(root, "buffer", self._jobs.settle, gives_way)
                is_due = (await settling).is_due
                pause.note_duration(loop.time() - begun, is_done=not is_due)
        finally:
            root.settled.set()

    def _announce_after_pause(self, root: Root) -> None:
        """Announces what an edit of a buffer does to the block, once its person pauses."""
        if root.path not in self._typing_timers:
            tell = self._announce_context
            tasks = self._server.tasks
            timer = self._typing_timers[root.path] = Debouncer(
                lambda: tasks.start(tell(root, "buffer")), _PAUSE, _LONGEST_TYPING
            )
            timer.note_duration(root.pause.duration)
        self._typing_timers[root.path]()

    async def _announce_context(self, root: Root, reason: str) -> None:
        # Imported here: the first findings need not wait for it.
        from synapse_ls.lsp.context_change import context_change, context_state
        from synapse_ls.lsp.custom_messages import encode_report

        loop = asyncio.get_running_loop()
        begun = loop.time()
        view = await self._server.worker.run(root.tree.view)
        now = await self._server.reader.run(context_state, view)
        if timer := self._typing_timers.get(root.path):
            timer.note_duration(loop.time() - begun)
        if root.is_dropped:
            return
        change = context_change(root, self._states.get(root.path), now, reason)
        self._states[root.path] = now
        if change is not None:
            self._server.protocol.notify(feature_table.DID_CHANGE_CONTEXT, encode_report(change))
        self._wake_when_idle(root, now)

    def _wake_when_idle(self, root: Root, now: ContextState) -> None:
        """Looks again when the current session will have been idle for too long to be current."""
        from synapse_ls.queries.session_report import CURRENT_SESSION_HOURS
        from synapse_ls.storage.session_archive import parse_moment

        if timer := self._timers.pop(root.path, None):
            timer.cancel()
        last = parse_moment(now.last_activity)
        left = 0.0 if last is None else last + CURRENT_SESSION_HOURS * 3600 - time.time() + 1
        if left > 0:
            self._timers[root.path] = asyncio.get_running_loop().call_later(
                left, lambda: self._submit_job(root, "session", self._jobs.check_disk, ())
            )
