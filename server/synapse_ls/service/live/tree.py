"""One tree that an editor lives with: buffers over disk, diagnostics and blocks kept up to date.

Everything here is synchronous and meant for one thread; what `LiveTree.view` gives never changes,
so that others may read it while the next change is taken in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.run import Assembly
from synapse_ls.engine.situation import Request
from synapse_ls.engine.usage import Usage
from synapse_ls.ide.view import Compiled, Now, View
from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.incremental import Results
from synapse_ls.service import memory
from synapse_ls.service.answer import Question, request_of
from synapse_ls.service.choices import choices_report
from synapse_ls.service.live import questions
from synapse_ls.service.live.current import Current
from synapse_ls.service.live.side import CONFIG_KEY, buffered, moved, overlaid
from synapse_ls.service.reports import situation_report, usage_report
from synapse_ls.service.usage import usage_of
from synapse_ls.service.windows import detached
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import CONFIG, is_session
from synapse_ls.workspace.keys import Key, paths_in
from synapse_ls.workspace.loader import Loaded, Scope, load, refresh
from synapse_ls.workspace.scan import LoadNote
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree import Tree

Params = Mapping[str, Any]
Check = Callable[[Tree, frozenset[Key], Iterable[LoadNote]], frozenset[str]]
"""How much of an update of `Results` is done: all of it, or its first step."""

EVERYTHING = (CONFIG, "")
MANY = 64
"""Paths at once from which on looking at everything is cheaper than at each."""

_NO_PARAMS: Params = {}


class Changes(NamedTuple):
    """What a call has changed.

    ``diagnostics``: paths whose diagnostics are others than before, be it none any more.
    ``context``: whether the block of the current session's state is another. ``status``: whether
    anything that a status line shows is.
    """

    diagnostics: frozenset[str] = frozenset()
    context: bool = False
    status: bool = False


class LiveTree:
    """The tree in the folder ``root``, an absolute path. ``clock`` gives seconds since 1970.

    Paths are relative to the root, with ``/``. There are two states of the tree: ``disk`` is what
    agents are served from, ``live`` has the editor's buffers in place of the files.
    """

    def __init__(self, root: str, *, clock: Callable[[], float] = time.time) -> None:
        self.root = root
        self._loaded = Loaded(root, Scope.ALL)
        self._buffers: dict[str, str] = {}
        self._current = Current(root, clock)
        self._disk = self._live = Compiled(Tree(Snapshot()), root)
        self._results = Results(self._live.tree)
        self._told: tuple[str, str] | None = None
        self._view: View | None = None

    def load(self, progress: Callable[[int, int], None] | None = None) -> Changes:
        """Read the whole tree anew; slow. ``progress`` is told squads read, of so many."""
        before = self._results.by_path
        self._loaded = load(self.root, Scope.ALL, progress=progress)
        self._disk = self._live = Compiled(Tree(self._loaded.index.snapshot()), self.root)
        if self._buffers:
            snapshot = overlaid(self._disk.tree.snapshot, self._buffers)
            self._live = Compiled(Tree(snapshot), self.root)
        self._results = Results(self._live.tree, self._loaded.notes)
        self._current.look()
        now = self._results.by_path
        differing = (path for path in {*before, *now} if before.get(path) != now.get(path))
        return self._tell(frozenset(differing))

    def open(self, path: str, text: str) -> Changes:
        """An editor has opened a file: its buffer counts in place of the file from now on."""
        return self.edit(path, text)

    def edit(self, path: str, text: str) -> Changes:
        """The whole text of a buffer after an edit. Agents do not see it, so no block changes."""
        return self._edit(path, text, self._results.update)

    def begin(self, path: str, text: str) -> Changes:
        """An edit whose consequences elsewhere can wait: they are left to `settle`.

        What is to be said about the file itself is right at once, and so is the view; of what the
        other files make of it, what was said before stays at its place.
        """
        return self._edit(path, text, self._results.begin)

    def settle(self, stop: Callable[[], bool] = bool) -> Changes:
        """See to the consequences of edits, until ``stop`` says that there is no time for more."""
        return Changes(self._results.settle(stop))

    @property
    def is_settled(self) -> bool:
        """Whether all that is said about files is the last word."""
        return self._results.is_settled

    def close(self, path: str) -> Changes:
        """The file on disk counts again."""
        self._buffers.pop(path, None)
        facts = self._disk.tree.snapshot.facts(path)
        return self._put(path, facts, self._results.update)

    def on_disk(self, paths: Iterable[str]) -> Changes:
        """These files or folders may have changed, appeared or gone; "" stands for everything.

        Without any path only time has passed, which can end the current session.
        """
        given = dict.fromkeys(path.rstrip("/") for path in paths)
        mine = [path for path in given if not is_session(path)]
        if "" in given or len(mine) > MANY:
            mine = list(EVERYTHING)
        differing: frozenset[str] = frozenset()
        if mine:
            before, notes = self._disk, tuple(self._loaded.notes)
            keys = refresh(self._loaded, mine)
            self._disk = moved(before, self._loaded.index.snapshot(), keys)
            if self._disk is not before or notes != tuple(self._loaded.notes):
                differing = self._follow(before, keys)
        if self._current.look():
            self._view = None
        return self._tell(differing)

    def pin(self, session_id: str | None) -> Changes:
        """Follow this session, or with None the newest again."""
        self._current.pinned = session_id or None
        if self._current.look():
            self._view = None
        return self._tell(frozenset())

    def diagnostics(self, path: str) -> tuple[Diagnostic, ...]:
        """What is to be said about a file as ``text`` gives it."""
        return self._results.by_path.get(path, ())

    def paths_with_diagnostics(self) -> tuple[str, ...]:
        """The files about which something is to be said, sorted."""
        return tuple(sorted(self._results.by_path))

    def text(self, path: str) -> str | None:
        """The text that diagnostics and features refer to; None where there is none."""
        facts = self._live.tree.snapshot.facts(path)
        return facts.text if facts and facts.read else self._buffers.get(path)

    def view(self) -> View:
        """What editor features look at: buffers over disk, and the current session."""
        if self._current.is_over() and self._current.look():
            self._view = None
        if self._view is None:
            self._view = View(self._live, self._now(), memory.fill)
        return self._view

    def served(self) -> View:
        """What agents are served from: the same without the editor's buffers."""
        view = self.view()
        return view if self._live is self._disk else View(self._disk, self._now(), memory.fill)

    def context(self, params: Params) -> dict[str, Any]:
        """The block as an agent would get it, from disk; see `questions`."""
        return questions.context(self.root, self._current.id, params)

    def explain(self, params: Params) -> dict[str, Any]:
        """The account of every domain and rule, from disk."""
        return questions.explain(self.root, self._current.id, params)

    def status(self, params: Params = _NO_PARAMS) -> dict[str, Any]:
        """The state that the next prompt would meet."""
        return questions.status(self.root, self._current.id, params)

    def domains(self, _: Params = _NO_PARAMS) -> dict[str, Any]:
        """Every domain, under ``domains``."""
        return questions.domains(self.root)

    def choices(self, _: Params = _NO_PARAMS) -> dict[str, Any]:
        """What the situation of a question can be made of."""
        return choices_report(self._disk)

    def sessions(self, _: Params = _NO_PARAMS) -> dict[str, Any]:
        """``sessions``, the newest first; the ids of the ``current`` and the ``pinned`` one."""
        current = self._current
        return {
            "sessions": questions.sessions(self.root),
            "current": current.id or None,
            "pinned": current.pinned,
        }

    def squads(self, _: Params = _NO_PARAMS) -> dict[str, Any]:
        """Every squad, under ``squads``."""
        return questions.squads(self.served())

    def compare(self, params: Params) -> dict[str, Any]:
        """Two blocks as agents would get them, and what differs."""
        return questions.compare(self.root, self._current.id, params)

    def injections(self, params: Params = _NO_PARAMS) -> dict[str, Any]:
        """What the hook has told agents."""
        return questions.told(self.root, params)

    def memory(self, params: Params = _NO_PARAMS) -> dict[str, Any]:
        """What is remembered, as the person whose tree it is sees it, or an agent."""
        return questions.memory(self.root, params)

    def session(self) -> str:
        """The id of the current session; "" where there is none."""
        self.view()
        return self._current.id

    def _edit(self, path: str, text: str, check: Check) -> Changes:
        self._buffers[path] = text
        live = self._live.tree.snapshot
        return self._put(path, buffered(self._disk.tree.snapshot, path, text, live), check)

    def _put(self, path: str, facts: FileFacts | None, check: Check) -> Changes:
        """Take facts into the live state, None for a file that is not there."""
        live = self._live
        snapshot, keys = _with(live.tree.snapshot, path, facts)
        if CONFIG_KEY in keys:
            snapshot = overlaid(self._disk.tree.snapshot, self._buffers)
        return Changes(self._go(snapshot, keys, check))

    def _follow(self, before: Compiled, keys: frozenset[Key]) -> frozenset[str]:
        """Take what changed on disk into the live state; the paths with other diagnostics."""
        disk = self._disk.tree.snapshot
        if CONFIG_KEY in keys:  # it decides which buffers are ours
            snapshot, changed = overlaid(disk, self._buffers), keys
        elif self._live is before and not paths_in(keys) & self._buffers.keys():
            snapshot, changed = disk, keys
        else:
            snapshot, all_changed = self._live.tree.snapshot, set[Key]()
            for path in sorted(paths_in(keys)):
                text = self._buffers.get(path)
                facts = disk.facts(path) if text is None else buffered(disk, path, text, snapshot)
                snapshot, some = _with(snapshot, path, facts)
                all_changed |= some
            changed = frozenset(all_changed)
        return self._go(snapshot, changed, self._results.update)

    def _go(self, snapshot: Snapshot, keys: frozenset[Key], check: Check) -> frozenset[str]:
        """Make ``snapshot`` the live one; the paths with other diagnostics."""
        if not self._buffers or snapshot is self._disk.tree.snapshot:
            live = self._disk
        else:
            live = moved(self._live, snapshot, keys)
        if live is not self._live:
            self._view = None
        self._live = live
        return check(live.tree, keys, self._loaded.notes)

    def _now(self) -> Now:
        """What is known of the next prompt: a view works it out when it has its plan."""
        question = Question(self.root)
        session = self._current.session
        if session is not None:
            session = detached(session)

        def now(plan: Plan) -> tuple[Request, Usage]:
            return request_of(plan, question, session), usage_of(plan, session)

        return now

    def _tell(self, diagnostics: frozenset[str]) -> Changes:
        """Compare what agents get now with what was last told."""
        view = self.served()
        block = text_hash(view.assembly.text)
        state = repr((self._current.id, _activity(self._current.session), _state(view.assembly)))
        before, self._told = self._told, (block, state)
        if before is None:
            return Changes(diagnostics, context=True, status=True)
        return Changes(diagnostics, before[0] != block, before[1] != state)


def _with(
    snapshot: Snapshot, path: str, facts: FileFacts | None
) -> tuple[Snapshot, frozenset[Key]]:
    return snapshot.with_facts(facts) if facts else snapshot.without(path)


def _activity(session: Mapping[str, Any] | None) -> tuple[object, ...]:
    """What a status line shows of a session itself."""
    fields = ("title", "prompt_count", "last_activity")
    return tuple(session.get(field) for field in fields) if session else ()


def _state(assembly: Assembly) -> tuple[object, ...]:
    """What a status line shows of the next prompt."""
    situation = assembly.situation
    return (
        situation.bracket.name,
        usage_report(situation.usage),
        assembly.tokens,
        assembly.budget,
        len(assembly.cut),
        assembly.over_budget,
        situation_report(situation),
    )
