"""A tree in an editor, kept current: buffers over disk, diagnostics and blocks.

Synchronous and for one thread. What `LiveTree.view` returns never changes, so other threads may
read it during the next change.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import Usage
from synapse_ls.engine.situation import Request
from synapse_ls.formats.session_file import SessionState
from synapse_ls.hooks.window_reply import complete_request
from synapse_ls.ide.tree_view import CompiledTree, View
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.lint.incremental_findings import IncrementalFindings
from synapse_ls.memory import situation_memories
from synapse_ls.queries.context_question import Question, build_request
from synapse_ls.queries.session_lookup import CURRENT_SESSION_HOURS
from synapse_ls.queries.situation_report import situation_report, usage_report
from synapse_ls.storage import atomic_files, editor_cache
from synapse_ls.storage.session_archive import newest_session
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.digest import hash_text
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.workspace import chati_places, instruction_imports, path_classification
from synapse_ls.workspace.fact_extraction import Key, changed_paths
from synapse_ls.workspace.file_facts import FileFacts, analyze_file, list_file
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind, LoadScope
from synapse_ls.workspace.file_reader import MAX_BYTES, too_large_error
from synapse_ls.workspace.instruction_readers import is_instruction_path
from synapse_ls.workspace.outside_links import find_refusal
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_folders import CONFIG, is_session_path
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, refresh_tree


class CurrentSession:
    """What a live tree knows of the current session; ``session`` is None for a new, virtual one."""

    def __init__(self, root: str, clock: Callable[[], float]) -> None:
        self.pinned: str | None = None
        self.id = ""
        self.session: SessionState | None = None
        self._folder = sessions_folder(root)
        self._clock = clock
        self._until: float | None = None

    def refresh(self) -> bool:
        """Read again which session it is and what it says; return whether any of that is new."""
        before = self.id, self.session
        self._until = None
        try:
            self.id = self.pinned or ""
            if not self.pinned and (
                newest := newest_session(self._folder, CURRENT_SESSION_HOURS, now=self._clock())
            ):
                self.id = newest.session_id
                self._until = newest.last_activity + CURRENT_SESSION_HOURS * 3600
            self.session = SessionStore(self._folder).load(self.id) if self.id else None
        except atomic_files.StorageError:
            self.session = None  # as in a new session: the lists of sessions say what is wrong
        if self.session is None:
            self.id = ""
        return (self.id, self.session) != before

    def is_over(self) -> bool:
        """Return whether the session has been idle for so long that it is no longer the current
        one.
        """
        return self._until is not None and self._clock() > self._until


# How much of an update of `IncrementalFindings` is done: all of it, or its first step.
UpdateStep = Callable[[Tree, frozenset[Key], Iterable[Finding]], frozenset[str]]

ALL_PATHS = (CONFIG, "")
# Paths at once from which on looking at everything is cheaper than at each.
MANY_PATHS = 64

# What is done with a tree, how much of it, and of how much.
Progress = Callable[[str, int, int], None]


class TreeChanges(NamedTuple):
    """What one call of a live tree has changed.

    ``diagnostics``: paths whose diagnostics are others than before, be it none any more.
    ``context``: whether the block of the current session's state is another. ``status``: whether
    anything that a status line shows is, or a file on disk: views say why rules are left out.
    """

    diagnostics: frozenset[str] = frozenset()
    context: bool = False
    status: bool = False


class LiveTree:
    """The tree in the folder ``root``, an absolute path, as its editor's buffers have it. ``clock``
    gives seconds since 1970. checks_instructions: open files such as ``CLAUDE.md`` are checked
    though no tree tells them.

    Paths are relative to the root, with ``/``. There are two states of the tree: ``disk`` is what
    agents are served from, ``live`` has the editor's buffers in place of the files.
    """

    def __init__(
        self,
        root: str,
        *,
        clock: Callable[[], float] = time.time,
        checks_instructions: bool = False,
    ) -> None:
        self.root = root
        self._checks_instructions = checks_instructions
        self._loaded = LoadedTree(root, LoadScope.ALL)
        self._buffers: dict[str, str] = {}
        self._filed: set[str] = set()  # buffers whose file was there when it was last looked at
        self._left_over: set[str] = set()  # buffers whose file is gone, not edited since
        self.current = CurrentSession(root, clock)
        self._disk = self._live = CompiledTree(Tree(Snapshot()), root)
        self._results = IncrementalFindings(self._live.tree)
        self._last_state: tuple[str, str] | None = None
        self._view: View | None = None

    def load(self, progress: Progress | None = None) -> TreeChanges:
        """Read the whole tree anew, which is slow.

        ``progress`` is given what is done, how much of it, and of how much.
        """
        before = self._results.by_path
        reading = partial(progress, "squads read:") if progress else None
        checking = partial(progress, "files checked:") if progress else None
        self._loaded = load_tree(self.root, LoadScope.ALL, progress=reading)
        self._disk = self._live = CompiledTree(self._loaded.tree, self.root)
        if self._buffers:
            self._live = CompiledTree(Tree(self._overlay_buffers()), self.root)
        self._results = IncrementalFindings(self._live.tree, self._loaded.notes, progress=checking)
        self.current.refresh()
        after = self._results.by_path
        differing = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        return self._compare_state(frozenset(differing))

    def open(self, path: str, text: str) -> TreeChanges:
        """Take in a file that an editor has opened: its buffer counts in place of the file from now
        on.

        What an editor shows of a file that was deleted is no part of the tree until somebody edits
        it: then it is a draft.
        """
        self._buffers[path] = text
        if not self._has_file(path):
            self._left_over.add(path)
        return self.edit(path, text)

    def edit(self, path: str, text: str) -> TreeChanges:
        """Take in the whole text of a buffer after an edit. Agents do not see it, so no block
        changes.
        """
        return self._edit_buffer(path, text, self._results.update)

    def begin_edit(self, path: str, text: str) -> TreeChanges:
        """Take in an edit whose consequences elsewhere can wait: they are left to `settle`.

        What is to be said about the file itself is right at once, and so is the view; of what the
        other files make of it, what was said before stays at its place.
        """
        return self._edit_buffer(path, text, self._results.begin_update)

    def settle(self, stop: Callable[[], bool] = bool) -> TreeChanges:
        """Work out the consequences of edits, until ``stop`` says that there is no time for
        more.
        """
        return TreeChanges(self._results.settle(stop))

    @property
    def is_settled(self) -> bool:
        """Whether all that is said about files is the last word."""
        return self._results.is_settled

    def close(self, path: str) -> TreeChanges:
        """Drop the buffer of a file: the file on disk counts again."""
        self._buffers.pop(path, None)
        self._left_over.discard(path)
        self._filed.discard(path)
        return self._put_facts(path, self._disk.tree.snapshot.facts(path), self._results.update)

    def update_from_disk(self, paths: Iterable[str]) -> TreeChanges:
        """Take in that these files or folders may have changed, appeared or gone; "" stands for
        everything.

        Without any path only time has passed, which can end the current session.
        """
        unique = dict.fromkeys(path.rstrip("/") for path in paths)
        mine = [path for path in unique if not is_session_path(path)]
        if "" in unique or len(mine) > MANY_PATHS:
            mine = list(ALL_PATHS)
        differing: frozenset[str] = frozenset()
        keys: frozenset[Key] = frozenset()
        if mine:
            before, notes = self._disk, tuple(self._loaded.notes)
            keys = refresh_tree(self._loaded, mine)
            self._disk = advance_tree(before, self._loaded.index.snapshot(), keys)
            # Note which buffers have lost their file, or have one again.
            filed = {path for path in self._buffers if self._has_file(path)}
            lost = self._filed - filed
            again = self._left_over & filed
            self._left_over = (self._left_over | lost) - again
            self._filed = filed
            moved = frozenset(lost | again)
            if self._disk is not before or notes != tuple(self._loaded.notes) or moved:
                differing = self._follow_disk(before, keys, moved)
        if self.current.refresh():
            self._view = None
        changes = self._compare_state(differing)
        return changes._replace(status=True) if keys else changes

    def pin(self, session_id: str | None) -> TreeChanges:
        """Follow this session, or with None the newest again."""
        self.current.pinned = session_id or None
        if self.current.refresh():
            self._view = None
        return self._compare_state(frozenset())

    def check_instructions(self, wanted: bool) -> TreeChanges:
        """Check open files of instructions from now on though no tree tells them, or do not."""
        self._checks_instructions = wanted
        changed: set[str] = set()
        for path in sorted(filter(is_instruction_path, self._buffers)):
            facts = self._buffer_facts(path, self._live.tree.snapshot)
            changed |= self._put_facts(path, facts, self._results.update).diagnostics
        return TreeChanges(frozenset(changed))

    def diagnostics(self, path: str) -> tuple[Finding, ...]:
        """Return what is to be said about a file as ``text`` gives it."""
        return self._results.by_path.get(path, ())

    def paths_with_diagnostics(self) -> tuple[str, ...]:
        """Return the files about which something is to be said, sorted."""
        return tuple(sorted(self._results.by_path))

    def text(self, path: str) -> str | None:
        """Return the text that diagnostics and features refer to; None where there is none."""
        facts = self._live.tree.snapshot.facts(path)
        return facts.text if facts and facts.is_read else self._buffers.get(path)

    def view(self) -> View:
        """Return what editor features look at: buffers over disk, and the current session."""
        if self.current.is_over() and self.current.refresh():
            self._view = None
        if self._view is None:
            self._view = self._view_of(self._live)
        return self._view

    def refresh_histories(self) -> None:
        """Take in what an audit has said of the rules since."""
        self._view = None

    def disk_view(self) -> View:
        """Return what agents are served from: the same view without the editor's buffers."""
        view = self.view()
        return view if self._live is self._disk else self._view_of(self._disk)

    def _view_of(self, compiled: CompiledTree) -> View:
        question = Question(self.root)
        if (session := self.current.session) is not None:
            session = session.copy()

        def request_and_usage(plan: Plan) -> tuple[Request, Usage]:
            return build_request(plan, question, session), measure_window_usage(plan, session)

        return View(
            compiled,
            request_and_usage,
            situation_memories.fill_memories,
            editor_cache.read_histories(self.root),
            complete_request,
        )

    def session(self) -> str:
        """Return the id of the current session; "" where there is none."""
        self.view()
        return self.current.id

    def _edit_buffer(self, path: str, text: str, check: UpdateStep) -> TreeChanges:
        if self._buffers.get(path) != text:
            self._left_over.discard(path)
        self._buffers[path] = text
        if self._has_file(path):
            self._filed.add(path)
        return self._put_facts(path, self._buffer_facts(path, self._live.tree.snapshot), check)

    def _buffer_facts(self, path: str, live: Snapshot) -> FileFacts | None:
        """Return the facts of a buffer; None where it is no part of the tree. ``live`` has the
        configuration in force.

        What is known of the bytes on disk holds for a buffer of the same text. One that is larger
        than any file that is read is not read either, nor one of a file that no link may lead to.
        """
        if path in self._left_over:
            return None
        disk, text = self._disk.tree.snapshot, self._buffers[path]
        is_refused = find_refusal(self.root, path) is not None
        facts = disk.facts(path) if is_refused else _own_buffer_facts(disk, path, text, live)
        foreign = facts is None or (facts.kind is FileKind.SYNCED and facts.document is None)
        is_checked = self._checks_instructions and is_instruction_path(path)
        if is_checked and foreign and len(text) <= MAX_BYTES // 4:
            facts = analyze_file(path, FileKind.INSTRUCTIONS, text)
        elif facts is None or facts is disk.facts(path):
            return facts
        return instruction_imports.with_dead_imports(self.root, facts)

    def _overlay_buffers(self) -> Snapshot:
        """Return all buffers that are part of the tree over disk; that of the configuration decides
        what the others are.
        """
        live = self._disk.tree.snapshot
        for path in sorted(self._buffers, key=lambda path: (path != CONFIG, path)):
            if facts := self._buffer_facts(path, live):
                live = live.replace_file(path, facts)[0]
        return live

    def _has_file(self, path: str) -> bool:
        return os.path.lexists(os.path.join(self.root, path))

    def _put_facts(self, path: str, facts: FileFacts | None, check: UpdateStep) -> TreeChanges:
        """Take facts into the live state, None for a file that is not there."""
        snapshot, keys = self._live.tree.snapshot.replace_file(path, facts)
        if CONFIG_KEY in keys:
            snapshot = self._overlay_buffers()
        return TreeChanges(self._set_live(snapshot, keys, check))

    def _follow_disk(
        self, before: CompiledTree, keys: frozenset[Key], moved: frozenset[str]
    ) -> frozenset[str]:
        """Take what changed on disk into the live state; return the paths with other diagnostics.

        moved: buffers that have lost their file, or have one again.
        """
        disk = self._disk.tree.snapshot
        if CONFIG_KEY in keys:  # it decides which buffers are ours
            snapshot, changed = self._overlay_buffers(), keys
        elif self._live is before and not (changed_paths(keys) | moved) & self._buffers.keys():
            snapshot, changed = disk, keys
        else:
            snapshot, all_changed = self._live.tree.snapshot, set[Key]()
            for path in sorted(changed_paths(keys) | moved):
                facts = disk.facts(path)
                if path in self._buffers:
                    facts = self._buffer_facts(path, snapshot)
                snapshot, file_keys = snapshot.replace_file(path, facts)
                all_changed |= file_keys
            changed = frozenset(all_changed)
        return self._set_live(snapshot, changed, self._results.update)

    def _set_live(
        self, snapshot: Snapshot, keys: frozenset[Key], check: UpdateStep
    ) -> frozenset[str]:
        """Make ``snapshot`` the live one; return the paths with other diagnostics."""
        if not self._buffers or snapshot is self._disk.tree.snapshot:
            live = self._disk
        else:
            live = advance_tree(self._live, snapshot, keys)
        if live is not self._live:
            self._view = None
        self._live = live
        return check(live.tree, keys, self._loaded.notes)

    def _compare_state(self, diagnostics: frozenset[str]) -> TreeChanges:
        """Compare what agents get now with the last state, and return the changes."""
        assembly, session = self.disk_view().assembly, self.current.session
        block, situation = hash_text(assembly.text), assembly.situation
        state = repr(
            (
                self.current.id,
                (session.title, session.prompt_count, session.last_activity) if session else (),
                # What a status line shows of the next prompt.
                situation.bracket.name,
                usage_report(situation.usage),
                assembly.tokens,
                assembly.budget,
                len(assembly.cut_entries),
                assembly.is_over_budget,
                situation_report(situation),
            )
        )
        before, self._last_state = self._last_state, (block, state)
        if before is None:
            return TreeChanges(diagnostics, context=True, status=True)
        return TreeChanges(diagnostics, before[0] != block, before[1] != state)


def _own_buffer_facts(disk: Snapshot, path: str, text: str, live: Snapshot) -> FileFacts | None:
    if (saved := disk.facts(path)) and saved.is_read and saved.text == text:
        return saved
    kind = saved.kind if saved else path_classification.classify_path(path, live.config.paths)
    if kind is None or kind is FileKind.SESSION:
        return None
    if len(text) > MAX_BYTES // 4 and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        refused = too_large_error()
        problem = Finding(Span(0, 0), refused.sentence, kind=refused.kind)
        return replace(list_file(path, kind), problems=(problem,))
    return analyze_file(path, kind, text, mtime_ns=saved.mtime_ns if saved else 0)


CONFIG_KEY: Key = ("setting", "config")
# Kinds of the files whose text a plan is made of; of the others it knows the names only.
_PLAN_KINDS = {
    *RULE_KINDS, *chati_places.PLAN_KINDS, *path_classification.BRAINIAC_PLAN_KINDS,
    FileKind.MANIFEST, FileKind.CARL, FileKind.SQUAD, FileKind.OLD_SQUAD, FileKind.WORKFLOW,
    FileKind.WORKFLOW_STATE, FileKind.CONFIG,
}  # fmt: skip


def advance_tree(compiled: CompiledTree, snapshot: Snapshot, keys: Iterable[Key]) -> CompiledTree:
    """Return the next state of a compiled live tree; ``keys`` are those that changed. The plan
    stays where none concerns it.
    """
    changed = frozenset(keys)
    if snapshot is compiled.tree.snapshot:
        return compiled
    if CONFIG_KEY in changed:
        return CompiledTree(Tree(snapshot), compiled.root)
    tree = Tree(snapshot, compiled.tree, changed_paths(changed))
    before = compiled.tree.snapshot
    for family, name in changed:
        versions = (before.facts(name), snapshot.facts(name)) if family == "content" else ()
        if family == "file" or any(file and file.kind in _PLAN_KINDS for file in versions):
            return CompiledTree(tree, compiled.root)
    return compiled.with_tree(tree)
