"""The trees at work: finding them, keeping them up to date, telling what changed.

Everything here runs in the event loop and hands the work itself to the one worker, whose jobs run in
the order in which they were given. So an answer that is asked for after an edit always knows of it,
and a job that is still waiting takes in the latest text: nobody has to wait for a burst of typing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Any

from synapse_ls.lsp import answers, context, custom, discovery
from synapse_ls.lsp.configuration import Settings
from synapse_ls.lsp.convert import TextMap
from synapse_ls.lsp.documents import Document
from synapse_ls.lsp.look import Look, Site
from synapse_ls.lsp.progress import Progress
from synapse_ls.lsp.roots import Root, Roots
from synapse_ls.lsp.schedule import Settled
from synapse_ls.lsp.uris import key_of
from synapse_ls.lsp.watch import Inbox
from synapse_ls.lsp.watching import Watching
from synapse_ls.lsp.work import Jobs, Outcome
from synapse_ls.service.inventory import CURRENT_HOURS
from synapse_ls.sessions.archive import moment
from synapse_ls.workspace.folders import SIGNS
from synapse_ls.workspace.watched import LIMIT, QUIET

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server

# A block is assembled when a person pauses: seconds after the last keystroke, and at the latest.
_PAUSE, _TYPING = 0.2, 1.0

# Rules that need several files give way to key strokes for so many seconds.
_COURTESY = 0.1


class Trees:
    """The trees of a connection."""

    def __init__(self, server: Server, jobs: Jobs) -> None:
        self._server = server
        self._jobs = jobs
        self.roots = Roots()
        self.found = asyncio.Event()
        self._scan: asyncio.Future[discovery.Found] | None = None
        self._lent: Set[str] = frozenset()
        self._states: dict[str, context.State] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._typing: dict[str, Settled] = {}
        self._watching = Watching(server, self.on_disk)
        self._inbox = Inbox(self._burst, Settled(self._empty_inbox, QUIET, LIMIT))

    # Which trees there are

    def start(self) -> None:
        """Look for trees, and serve what is found."""
        self.find()

    def find(self) -> None:
        """Look again which trees there are. They are a function of folders, open files and disk."""
        folders = self._server.folders.paths
        files = self._files()
        depth = self._server.settings.depth
        scan = self._server.worker.run(discovery.find_roots, folders, files, depth)
        self._scan = scan
        self._server.tasks.start(self._settle(scan, files))

    def _files(self) -> frozenset[str]:
        return frozenset(document.path for document in self._server.documents if document.path)

    async def _settle(self, scan: asyncio.Future[discovery.Found], files: frozenset[str]) -> None:
        try:
            paths, lent = await scan
        except Exception:
            # Nobody may wait for ever to learn which trees there are.
            self._scan = None
            self.found.set()
            raise
        if scan is not self._scan:
            return  # a later look knows better
        self._lent = lent
        for root in self.roots:
            if root.path not in paths:
                self._drop(root)
        for path in paths:
            if path not in self.roots:
                self._adopt(Root(path))
        for document in self._server.documents:
            self._attach(document)
        self._scan = None
        self.found.set()
        if files != (now := self._files()) and (
            any(self.roots.of(file) is None for file in now - files) or self._outlived()
        ):
            self.find()  # files were opened or closed while it was looked for trees
        await self._watching.update(self.roots)

    def _adopt(self, root: Root) -> None:
        self.roots.add(root)
        progress = Progress(
            f"Reading {root.path.rpartition('/')[2]}",
            self._server.ask,
            self._server.protocol.notify,
        )
        if self._server.client.progress:
            self._server.tasks.start(progress.begin())
        loading = self._submit(
            root, "loaded", self._jobs.load, self._server.settings.session, progress.report
        )
        loading.add_done_callback(lambda _: progress.end())

    def _outlived(self) -> bool:
        """Whether a tree is served for open files alone and has none any more."""
        return any(root.path in self._lent and not root.buffers for root in self.roots)

    def _drop(self, root: Root) -> None:
        self.roots.remove(root)
        self._states.pop(root.path, None)
        if timer := self._timers.pop(root.path, None):
            timer.cancel()
        if typing := self._typing.pop(root.path, None):
            typing.stop()
        self._server.publisher.forget(root)

    async def place_of(self, path: str) -> tuple[Root, str] | None:
        """The tree that holds a path, and the path in it; waits for a look that is under way."""
        await self.found.wait()
        place = self.roots.of(path)
        while place is None and self._scan is not None:
            await asyncio.wait([self._scan])
            await asyncio.sleep(0)
            place = self.roots.of(path)
        return place

    async def first(self) -> Root | None:
        """The first tree, in the order of the client's folders."""
        await self.found.wait()
        return self.roots.first(self._server.folders.paths)

    def look(self, root: Root, path: str, document: Document | None) -> Look | None:
        """A file as features see it; for the worker's thread. None where the tree has no such file."""
        site = self.site(root)
        facts = site.view.tree.snapshot.facts(path)
        if facts is None:
            return None
        same = document is not None and document.text == facts.text
        map_ = document.map if document and same else TextMap(facts.text, site.encoding)
        return Look(site.view, site.root, path, facts, map_, site.encoding, site.uris)

    def site(self, root: Root) -> Site:
        """A tree as features see it; for the worker's thread."""
        documents = self._server.documents
        uris = {
            inner: opened.uri
            for inner, key in tuple(root.buffers.items())
            if (opened := documents.at(key)) is not None
        }
        return Site(root.tree.view(), root.path, documents.encoding, lambda at: uris.get(at, ""))

    # Buffers

    def opened(self, document: Document) -> None:
        """A document was opened."""
        if not self.found.is_set() or document.path is None:
            return  # it is attached when the trees are known
        self._attach(document)
        if self.roots.of(document.path) is None:
            self.find()

    def edited(self, document: Document) -> None:
        """A document has another text."""
        key = key_of(document.uri)
        for root in self.roots:
            for path, buffer in root.buffers.items():
                if buffer == key and path not in root.pending:
                    root.pending.add(path)
                    self._submit(root, "files", self._jobs.edit, path, key)

    def closed(self, document: Document) -> None:
        """A document was closed."""
        self._detach(key_of(document.uri))
        if self._scan is None and self._outlived():
            self.find()

    def _attach(self, document: Document) -> None:
        """Let the innermost tree that holds the document, and no other, have its buffer."""
        if document.path is None:
            return
        key = key_of(document.uri)
        place = self.roots.of(document.path)
        if place is not None and place[0].buffers.get(place[1]) == key:
            return
        self._detach(key)
        if place is not None:
            root, path = place
            root.buffers[path] = key
            root.pending.add(path)
            self._submit(root, "files", self._jobs.open, path, key)

    def _detach(self, key: str) -> None:
        for root in self.roots:
            for path in [path for path, buffer in root.buffers.items() if buffer == key]:
                del root.buffers[path]
                root.pending.discard(path)
                self._submit(root, "files", self._jobs.close, path)

    # The disk

    def on_disk(self, path: str) -> None:
        """A path may be different on disk."""
        self._inbox.put(path)

    def _empty_inbox(self) -> None:
        self._inbox.empty()

    def _burst(self, paths: frozenset[str]) -> None:
        places: dict[str, tuple[Root, set[str]]] = {}
        is_new = False
        for path in paths:
            # A path can matter to several trees: one may lie in another, or be linked into it.
            inside = False
            for root in self.roots:
                inner = root.relative(path)
                if inner is not None:
                    inside = True
                    places.setdefault(root.path, (root, set()))[1].add(inner)
                elif root.path.startswith(f"{path}/"):
                    places.setdefault(root.path, (root, set()))[1].add("")
                    inside = True
            is_new |= self._may_be_new(path, inside)
        for root, inner_paths in places.values():
            # A job that waits already looks at these too.
            if root.changed.add(inner_paths):
                self._submit(root, "files", self._jobs.changed)
        if is_new:
            self.find()

    def _may_be_new(self, path: str, inside: bool) -> bool:
        """Whether a path can be the sign of a tree that is not served yet."""
        for sign in SIGNS:
            head, found, rest = path.partition(f"/{sign}")
            if found and not rest.partition("/")[0]:
                return head not in self.roots and not self._is_squad(head)
        return not inside and path in self._server.folders.paths

    def _is_squad(self, folder: str) -> bool:
        place = self.roots.of(folder)
        return place is not None and place[1] != ""

    # Settings

    def reconfigured(self, before: Settings, now: Settings) -> None:
        """The person's settings are others now."""
        if now.diagnostics != before.diagnostics:
            for root in self.roots:
                self._submit(root, "configuration", self._jobs.everything)
        if now.session != before.session:
            for root in self.roots:
                self._submit(root, "configuration", self._jobs.pin, now.session)
        if now.depth != before.depth:
            self.find()
        elif now.watch != before.watch:
            self._server.tasks.start(self._watching.update(self.roots))

    async def pin(self, root: Root, session: str) -> None:
        """Follow a session of a tree, the newest again for ""."""
        await self._submit(root, "session", self._jobs.pin, session)

    # Jobs and what comes of them

    def _submit(
        self, root: Root, reason: str, job: Callable[..., Outcome], *args: Any
    ) -> asyncio.Future[Outcome]:
        """Give the worker a job now, so that jobs run in the order of what caused them."""
        done = self._server.worker.run(job, root, *args)
        self._server.tasks.start(self._finish(root, reason, done))
        return done

    async def _finish(self, root: Root, reason: str, done: asyncio.Future[Outcome]) -> None:
        outcome = await done
        if root.dropped:
            return
        if outcome.session:
            reason = "session"
        if outcome.gone:
            self.find()
            return
        self._server.publisher.publish(root, outcome.found, outcome.edited)
        if reason != "loaded":
            is_typing = outcome.edited is not None or reason == "buffer"
            self._server.refresh(edited=is_typing, open_files=len(root.buffers))
        if outcome.due and not root.settling:
            root.settling = True
            self._server.tasks.start(self._consequences(root))
        if outcome.links is not None and outcome.links != root.links:
            root.links = outcome.links
            for document in self._server.documents:
                self._attach(document)
            await self._watching.update(self.roots)
        elif reason == "files" and outcome.edited is None:
            await self._watching.update(self.roots)
        if outcome.context or outcome.status or reason == "session":
            await self._tell(root, reason)
        elif outcome.edited is not None:
            self._typed(root)

    async def _consequences(self, root: Root) -> None:
        """Have the rest of what edits mean looked at, behind all that waits already."""
        loop, worker = asyncio.get_running_loop(), self._server.worker
        until = loop.time() + _COURTESY
        try:
            while not root.dropped:
                settling = self._submit(
                    root,
                    "buffer",
                    self._jobs.settle,
                    lambda: worker.is_awaited and loop.time() < until,
                )
                if not (await settling).due:
                    break
        finally:
            root.settling = False

    def _typed(self, root: Root) -> None:
        """A buffer was changed: tell what that does to the block, once its person pauses."""
        if root.path not in self._typing:
            tell = self._tell
            tasks = self._server.tasks
            self._typing[root.path] = Settled(
                lambda: tasks.start(tell(root, "buffer")), _PAUSE, _TYPING
            )
        self._typing[root.path]()

    async def _tell(self, root: Root, reason: str) -> None:
        view = await self._server.worker.run(root.tree.view)
        now = await self._server.reader.run(context.state_of, view)
        if root.dropped:
            return
        change = context.change(root, self._states.get(root.path), now, reason)
        self._states[root.path] = now
        if change is not None:
            self._server.protocol.notify(custom.DID_CHANGE_CONTEXT, answers.written(change))
        self._wake_when_idle(root, now)

    def _wake_when_idle(self, root: Root, now: context.State) -> None:
        """Look again when the current session will have been idle for too long to be current."""
        if timer := self._timers.pop(root.path, None):
            timer.cancel()
        last = moment(now.active)
        left = 0.0 if last is None else last + CURRENT_HOURS * 3600 - time.time() + 1
        if left > 0:
            self._timers[root.path] = asyncio.get_running_loop().call_later(
                left, lambda: self._submit(root, "session", self._jobs.on_disk, ())
            )
