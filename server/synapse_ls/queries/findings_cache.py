"""Cach the linter's findings of a tree in the user's cache folder, while nothing changes, and
remember the tree, so that after an edit only what it reaches is checked again.

Findings depend on every file that was read, every folder that was listed, everything that was
looked for in vain, the question and the program itself. What has the same status as before is the
same; of what has not, the content decides, so that a fresh checkout of the same files is known too.
The folder and the format are those of the plans (``plan_cache``): nobody else may write there, and
nothing in it can run.
"""

from __future__ import annotations

import os
import stat
import time
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from synapse_ls.storage.plan_cache import CLOCK_TICK, read_memo, write_memo
from synapse_ls.text.digest import hash_text
from synapse_ls.text.finding import Diagnostic, Fix, Related, Severity
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace import regular_files
from synapse_ls.workspace.file_reader import MAX_BYTES, RefusedError, read_file
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.tree_folders import CONTINUATION, PRIVATE_FOLDERS, is_session_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from synapse_ls.formats.config_file import LintSettings
    from synapse_ls.lint.rule_selection import Policy
    from synapse_ls.queries.edited_tree import EditedTree
    from synapse_ls.queries.remembered_tree import PackedTexts, RememberedTree
    from synapse_ls.workspace.file_facts import FileFacts
    from synapse_ls.workspace.file_kinds import FileKind
    from synapse_ls.workspace.file_scanner import LoadNote
    from synapse_ls.workspace.regular_files import Stamp
    from synapse_ls.workspace.rule_tree import Tree
    from synapse_ls.workspace.snapshot import Snapshot
    from synapse_ls.workspace.tree_loader import LoadedTree

    FileStatus = tuple[int, ...]
    # Status, digest, and whether its text was read for the tree.
    Input = tuple[FileStatus | None, str, bool]
    Inputs = dict[str, Input]
    NoteTexts = tuple[str, str, str, str]
    Sessions = tuple[int, tuple[NoteTexts, ...], float]
    PolicyOf = Callable[[LintSettings], Policy]
    RememberedState = tuple[str, dict[str, Any], tuple[tuple[Any, ...], ...]]

_MEMO_KIND = "check"
_TREE_KIND = "check-tree"
_TEXT_KIND = "check-text"
_MAX_QUESTIONS = 8  # questions whose answers are kept
_STATE_ENDING = "-state.yaml"
_MAX_EDITED = 64  # files that were edited since the tree was remembered
_MAX_FILES = 100_000  # files of a tree that is remembered
_MAX_TEXT = 64_000_000  # characters of all texts that are remembered
_PROGRAM_FOLDERS = (
    "text",
    "formats",
    "workspace",
    "engine",
    "edits",
    "integrations",
    "lint",
    "queries",
)
_NOTHING_LATER: dict[str, Any] = {"files": {}, "homes": {}, "texts": {}}
WHOLE_TREE_QUESTION = repr(((), (), (), ("",)))
"""What a check of everything asks that is given no options: selected and ignored codes, excluded
patterns, and the paths that it is about.
"""
_PACKAGE_FOLDER = os.path.dirname(os.path.dirname(__file__))


class RestoredTree(NamedTuple):
    """A tree as it is by now, with all findings in their order, of which only what has changed
    since the last time was read.
    """

    loaded: LoadedTree
    tree: Tree
    findings: tuple[Diagnostic, ...]


class FindingsCache:
    """The cached findings of the tree in the folder ``root``."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._began = time.time_ns()
        self._program = _program_digest()
        memo = read_memo(root, _MEMO_KIND)
        known = memo if memo.get("program") == self._program else {}
        self._inputs: Inputs = known.get("inputs", {})
        self._results: dict[str, Any] = known.get("results", {})
        self._sessions: Sessions = known.get("sessions", (0, (), 0.0))
        # Which remembered tree the inputs are of, what is otherwise by now, and the loader's notes.
        self._tree: RememberedState = known.get("tree", ("", _NOTHING_LATER, ()))

    def findings(self, question: str) -> tuple[tuple[Diagnostic, ...], int] | None:
        """Return the findings that ``question`` had, whatever it says, and in how many files they
        were looked for.

        None where it must be asked again.
        """
        known = self._results.get(question)
        if known is None or self._changed_inputs or not self._has_same_sessions:
            return None
        packed, files = known
        return tuple(map(_unpack_diagnostic, packed)), files

    def findings_after_edits(
        self, question: str, policy_of: PolicyOf, count_files: Callable[[Snapshot], int]
    ) -> tuple[tuple[Diagnostic, ...], int] | None:
        """Return what `findings` would after some files were edited, and store it: only what the
        edits reach is checked again, by the policy for a configuration.

        None where that cannot be told, so that everything must be checked.
        """
        remembered = self._remembered_tree() if question in self._results else None
        if remembered is None:
            return None
        found = self._recheck_edited(question, remembered, policy_of, count_files)
        return found and (found[1], found[2])

    def restore(
        self, question: str, policy_of: PolicyOf, count_files: Callable[[Snapshot], int]
    ) -> RestoredTree | None:
        """Return the tree and the findings that ``question`` has, for who goes on to work with
        them; what was edited since is read and checked again, and stored.

        None where everything must be read.
        """
        remembered = None
        if question in self._results and (texts := self._read_texts()) is not None:
            remembered = self._remembered_tree(texts)
        if remembered is None:
            return None
        if self._changed_inputs or not self._has_same_sessions:
            edited = self._recheck_edited(question, remembered, policy_of, count_files)
            return edited and RestoredTree(edited[0].loaded, edited[0].tree, edited[1])
        from synapse_ls.workspace.file_kinds import LoadScope
        from synapse_ls.workspace.file_scanner import LoadNote
        from synapse_ls.workspace.snapshot import TreeIndex
        from synapse_ls.workspace.tree_loader import LoadedTree

        loaded = LoadedTree(self._root, LoadScope.ALL)
        loaded.index = TreeIndex(current=remembered.snapshot)
        loaded.notes = [LoadNote(*note) for note in self._tree[2]]
        loaded.stamps = self._seen_stamps()
        found = tuple(map(_unpack_diagnostic, self._results[question][0]))
        return RestoredTree(loaded, remembered.resolve_names(()), found)

    def _remembered_tree(self, texts: PackedTexts | None = None) -> RememberedTree | None:
        """Return the tree as it was, with these texts or else with those that are read again where
        they are needed; None where it is not known.
        """
        base = self._read_tree_memo(_TREE_KIND)
        if base is None:
            return None
        later = self._tree[1]
        from synapse_ls.queries.remembered_tree import RememberedTree, recall_from

        if texts is None:
            return RememberedTree(base, later, self._analyze)
        return RememberedTree(base, later, recall_from(texts), texts)

    def _read_texts(self) -> PackedTexts | None:
        """Return the texts of the remembered tree, None where they are not known."""
        memo = self._read_tree_memo(_TEXT_KIND)
        return {**memo["texts"], **self._tree[1]["texts"]} if memo else None

    def _read_tree_memo(self, kind: str) -> dict[str, Any] | None:
        """Return a part of the remembered tree; None where there is none that belongs to it: then
        the tree is forgotten, so that all of it is remembered anew.
        """
        token = self._tree[0]
        memo = read_memo(self._root, kind) if token else {}
        if token and memo.get("token") == token:
            return memo
        self._tree = "", _NOTHING_LATER, ()
        return None

    def _recheck_edited(
        self,
        question: str,
        remembered: RememberedTree,
        policy_of: PolicyOf,
        count_files: Callable[[Snapshot], int],
    ) -> tuple[EditedTree, tuple[Diagnostic, ...], int] | None:
        """Return the tree after the edits, all findings in it and in how many files they were
        looked for, and store that; None where it cannot be told.
        """
        from synapse_ls.queries.edited_tree import CannotTellError, recheck_reached
        from synapse_ls.workspace.file_scanner import LoadNote

        if self._is_import_touched(remembered.snapshot):
            return None
        notes = tuple(LoadNote(*note) for note in self._tree[2])
        known = tuple(map(_unpack_diagnostic, self._results[question][0]))
        for reread in (self._reread_files, self._reread_tree):
            try:
                edited = reread(remembered, notes)
                policy = policy_of(edited.tree.snapshot.config.lint)
                findings = recheck_reached(edited, notes, known, policy)
            except CannotTellError:
                continue
            files = count_files(edited.tree.snapshot)
            read = read_paths(edited.tree.snapshot)
            self._read_stamps = {path: edited.loaded.stamps.get(path) for path in read}
            self._store_edited(question, edited, findings, files)
            return edited, findings, files
        return None

    def _is_import_touched(self, known: Snapshot) -> bool:
        """Return whether a file appeared or went that a file of instructions imports: its findings
        are other ones then, though it is as it was. What has changed itself is looked at anyway.
        """
        moved = {
            path
            for path in self._changed_inputs
            if known.facts(path) is None or not os.path.lexists(self._full_path(path))
        }
        if not moved:
            return False
        from synapse_ls.queries.edited_tree import CannotTellError
        from synapse_ls.workspace.file_kinds import FileKind
        from synapse_ls.workspace.instruction_files import imported_files

        paths = (p for p in known.paths(FileKind.SYNCED) if p not in self._changed_inputs)
        importers = filter(None, map(known.facts, paths))
        try:
            return any(moved & one.paths for facts in importers for one in imported_files(facts))
        except CannotTellError:
            return True

    def _seen_stamps(self) -> dict[str, Stamp | None]:
        """Return the loader's stamps of the inputs, as they were when they were looked at."""
        return {path: _loader_stamp(witness) for path, witness in self._seen.items()}

    def _reread_files(self, remembered: RememberedTree, notes: tuple[LoadNote, ...]) -> EditedTree:
        """Return the tree with only the changed files, and the sessions, looked at again. Raises
        CannotTellError.
        """
        from synapse_ls.queries.edited_tree import CannotTellError, reread_files
        from synapse_ls.workspace.file_scanner import LoadNote

        if len(self._changed_inputs) > _MAX_EDITED or self._is_expired:
            raise CannotTellError(self._root)
        if not self._has_same_sessions:
            others = (note for note in notes if not _is_session_note(note))
            now = (LoadNote(*note) for note in self._sessions_now)
            notes = (*others, *now)
        edited = reread_files(self._root, remembered, notes, self._changed_inputs)
        edited.loaded.stamps = {**self._seen_stamps(), **edited.loaded.stamps}
        return edited

    def _reread_tree(self, remembered: RememberedTree, _: tuple[LoadNote, ...]) -> EditedTree:
        """Return the tree with every folder looked at again. Raises CannotTellError."""
        from synapse_ls.queries.edited_tree import reread_tree

        return reread_tree(self._root, remembered, self._changed_inputs)

    def _analyze(self, path: str, kind: FileKind) -> FileFacts:
        """Return the facts of a file that is as it was. Raises CannotTellError where it is not."""
        from synapse_ls.queries.edited_tree import CannotTellError
        from synapse_ls.workspace.instruction_files import with_dead_imports
        from synapse_ls.workspace.tree_loader import analyze_content

        full = self._full_path(path)
        try:
            content = read_file(full) if path not in self._changed_inputs else None
        except RefusedError as refused:
            raise CannotTellError(path) from refused
        if content is None or _file_status(full) != self._seen.get(path):
            raise CannotTellError(path)
        return with_dead_imports(self._root, analyze_content(path, kind, content))

    def text(self, path: str) -> str:
        """Return the text of a file as it was read, "" for one that was refused, is only noted, or
        is no longer the file that was looked at: a link may lead anywhere.
        """
        stamp = self._read_stamps.get(path)
        try:
            content = read_file(self._full_path(path)) if stamp else None
        except RefusedError:
            return ""
        if content is None or regular_files.stamp_of_status(content.status) != stamp:
            return ""
        return content.decoded.text

    @cached_property
    def _read_stamps(self) -> Mapping[str, Stamp | None]:
        """The stamps of the files whose texts were read for the tree."""
        known = (path for path, (_, _, was_read) in self._inputs.items() if was_read)
        return {path: _loader_stamp(self._seen[path]) for path in known}

    def store(
        self, question: str, loaded: LoadedTree, tree: Tree, found: Iterable[Diagnostic], files: int
    ) -> None:
        """Store what was found, unless something changed while, or just before, it was read."""
        inputs = self._settled_inputs(loaded)
        if inputs is None:
            return
        sessions = self._session_state(loaded)
        # The answers to other questions hold as long as they were made of the same.
        same = inputs == self._inputs and sessions == self._sessions
        results = self._results if same else {}
        results.pop(question, None)
        while len(results) >= _MAX_QUESTIONS:
            results.pop(next(iter(results)))
        results[question] = [_pack_diagnostic(diagnostic) for diagnostic in found], files
        self._inputs, self._sessions, self._results = inputs, sessions, results
        if not (same and self._tree[0]):
            self._remember_tree(tree, loaded.notes)
        self._write()

    def _store_edited(
        self, question: str, edited: EditedTree, found: Iterable[Diagnostic], files: int
    ) -> None:
        """Store what was found after edits, unless one was just now."""
        from synapse_ls.queries.remembered_tree import pack_part

        inputs = self._settled_inputs(edited.loaded)
        if inputs is None:
            return
        token, later, _ = self._tree
        self._inputs = inputs
        self._results = {question: ([_pack_diagnostic(one) for one in found], files)}
        part = pack_part(edited.tree, edited.touched)
        later = {name: {**later[name], **part[name]} for name in part}
        if edited.is_in_place and len(later["files"]) <= _MAX_EDITED:
            hours, _, expiry = self._sessions
            self._sessions = hours, self._sessions_now, expiry
            self._tree = token, later, tuple(map(tuple, edited.loaded.notes))
        else:
            self._sessions = self._session_state(edited.loaded)
            self._remember_tree(edited.tree, edited.loaded.notes)
        self._write()

    def _session_state(self, loaded: LoadedTree) -> Sessions:
        """Return what is noted of the sessions, and until when that and all else holds."""
        from synapse_ls.workspace.load_notes import next_expiry

        snapshot = loaded.index.snapshot()
        expiry = next_expiry(snapshot, self._began / 1e9)
        return snapshot.config.session.stale_hours, _session_part(loaded.notes), expiry

    def _settled_inputs(self, loaded: LoadedTree) -> Inputs | None:
        """Return what is to be the same next time; None where something is no longer what was read,
        or could still change unseen.
        """
        inputs: Inputs = {}
        was_read = frozenset(read_paths(loaded.index.snapshot()))
        for path, stamp in loaded.stamps.items():
            if path in self._inputs and path not in self._changed_inputs:
                if _loader_stamp(self._seen[path]) != stamp:
                    return None
                inputs[path] = (*self._inputs[path][:2], path in was_read)
            elif (seen := self._settled_input(path, stamp)) is None:
                return None
            else:
                inputs[path] = (*seen, path in was_read)
        return inputs

    def _remember_tree(self, tree: Tree, notes: Iterable[LoadNote]) -> None:
        """Remember a tree for the next time; none that takes part of another one."""
        from synapse_ls.queries.remembered_tree import pack_texts, pack_tree

        snapshot, token = tree.snapshot, os.urandom(8).hex()
        if snapshot.files_above or len(snapshot.paths()) > _MAX_FILES:
            self._tree = "", _NOTHING_LATER, ()
            return
        texts = pack_texts(tree, self._read_texts, _MAX_TEXT)
        write_memo(self._root, _TREE_KIND, {**pack_tree(tree), "token": token})
        write_memo(self._root, _TEXT_KIND, {"texts": texts, "token": token} if texts else {})
        self._tree = token, _NOTHING_LATER, tuple(map(tuple, notes))

    def _settled_input(
        self, path: str, stamp: Stamp | None
    ) -> tuple[FileStatus | None, str] | None:
        """Return what is to be the same next time; None where it is no longer what was read, or
        could still change unseen.
        """
        full = self._full_path(path)
        witness = _file_status(full)
        if _loader_stamp(witness) != stamp or not self._is_settled(witness):
            return None
        return witness, _content_digest(full, witness)

    @property
    def _is_expired(self) -> bool:
        return self._began / 1e9 >= self._sessions[2]

    @cached_property
    def _sessions_now(self) -> tuple[NoteTexts, ...]:
        return _session_notes(self._root, self._sessions[0])

    @property
    def _has_same_sessions(self) -> bool:
        return not self._is_expired and self._sessions_now == self._sessions[1]

    @cached_property
    def _changed_inputs(self) -> frozenset[str]:
        """The inputs that are no longer what they were; what only looks different is noted for next
        time.
        """
        looked: Inputs = {}
        changed: list[str] = []
        self._seen: dict[str, FileStatus | None] = {}
        for path, (witness, digest, was_read) in self._inputs.items():
            full = self._full_path(path)
            now = self._seen[path] = _file_status(full)
            if now == witness:
                continue
            if _content_digest(full, now) != digest:
                changed.append(path)
            # Not noted while it could still change within the same tick of the clock.
            elif self._is_settled(now):
                looked[path] = (now, digest, was_read)
        if looked:
            self._inputs.update(looked)
            if not changed:
                self._write()
        return frozenset(changed)

    def _is_settled(self, witness: FileStatus | None) -> bool:
        """Return whether something was the same for a while before this process began to look at
        it.
        """
        return witness is None or max(witness[:2]) < self._began - CLOCK_TICK

    def _write(self) -> None:
        write_memo(
            self._root,
            _MEMO_KIND,
            {
                "program": self._program,
                "inputs": self._inputs,
                "sessions": self._sessions,
                "results": self._results,
                "tree": self._tree,
            },
        )

    def _full_path(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root


def count_linted_files(snapshot: Snapshot) -> int:
    """Return in how many files a check of everything looks for findings, which a cache then
    keeps.
    """
    from synapse_ls.lint.rule_selection import Policy

    policy = Policy(snapshot.config.lint)
    return sum(map(policy.lints, read_paths(snapshot)))


def read_paths(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the files that were read to find what the cache keeps, and not only listed by name,
    sorted.
    """
    facts_by_path = ((path, snapshot.facts(path)) for path in snapshot.paths())
    return tuple(path for path, facts in facts_by_path if facts and facts.is_read)


def _session_part(notes: Iterable[LoadNote]) -> tuple[NoteTexts, ...]:
    """Return what is noted of the sessions, and of what git would take of them."""
    return tuple(note[:4] for note in notes if _is_session_note(note))


def _is_session_note(note: LoadNote) -> bool:
    from synapse_ls.workspace.private_folders import NOTE_KIND

    return is_session_path(note.path) or note.path == CONTINUATION or note.kind == NOTE_KIND


def _session_notes(root: str, hours: int) -> tuple[NoteTexts, ...]:
    """Return what is noted of the sessions now, and of what git would take of them: they change
    with every prompt, and with time alone.
    """
    if not any(os.path.lexists(f"{root}/{path}") for path in (*PRIVATE_FOLDERS, CONTINUATION)):
        return ()
    from synapse_ls.formats.config_file import Config, SessionSettings
    from synapse_ls.workspace.load_notes import session_notes
    from synapse_ls.workspace.private_folders import private_file_notes

    config = Config(session=SessionSettings(stale_hours=hours))
    notes = (*session_notes(root, config, time.time()), *private_file_notes(root))
    return tuple(note[:4] for note in notes)


def _file_status(path: str) -> FileStatus | None:
    """Return what changes with a file or folder, above all the time that nobody can set; None where
    there is none.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    changed = status.st_mtime_ns if os.name == "nt" else status.st_ctime_ns
    return (
        status.st_mtime_ns,
        changed,
        status.st_size,
        status.st_ino,
        status.st_dev,
        status.st_mode,
    )


def _loader_stamp(witness: FileStatus | None) -> tuple[int, int, int] | None:
    """Return the loader's stamp of the same status."""
    if witness is None:
        return None
    modified, _, size, inode, _, mode = witness
    return regular_files.make_stamp(mode, modified, size, inode)


def _content_digest(path: str, witness: FileStatus | None) -> str:
    """Return what is the same for the same content: of a file its bytes, of a folder its
    entries.
    """
    if witness is None:
        return ""
    mode, size = witness[5], witness[2]
    try:
        real = os.path.realpath(path) if os.path.islink(path) else ""
        if stat.S_ISDIR(mode):
            with os.scandir(path) as entries:
                names = sorted(f"{e.name}{e.is_dir()}{e.is_symlink()}" for e in entries)
            return hash_text("\0".join((str(mode), real, *names)))
        if stat.S_ISREG(mode) and size <= MAX_BYTES:
            data = read_whole(path, MAX_BYTES).decode("latin-1")
            # Of workflow states the newest counts.
            age = str(witness[0]) if path.endswith(_STATE_ENDING) else ""
            return hash_text("\0".join((str(mode), real, age, data)))
    except OSError:
        pass
    return repr(witness)


def _program_digest() -> str:
    """Return what changes with this program, be it by an update or because somebody works on it."""
    places = [os.path.join(_PACKAGE_FOLDER, folder) for folder in _PROGRAM_FOLDERS]
    yaml = find_spec("ruamel.yaml")
    if yaml and yaml.origin:
        places.append(os.path.dirname(yaml.origin))
    return hash_text(
        "\n".join(f"{place} {line}" for place in places for line in _source_lines(place))
    )


def _source_lines(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _source_lines(entry.path)
            elif entry.name.endswith((".py", ".so", ".pyd")):
                status = entry.stat()
                yield f"{entry.name} {status.st_mtime_ns} {status.st_size}"


def _pack_diagnostic(found: Diagnostic) -> tuple[Any, ...]:
    fix = found.fix and (
        found.fix.title,
        found.fix.safe,
        tuple((path, *edit.span, edit.new_text) for path, edit in found.fix.edits),
    )
    related = tuple((other.path, *other.span, other.message) for other in found.related)
    return (
        found.code,
        found.name,
        found.severity.value,
        found.path,
        *found.span,
        found.message,
        found.remedy,
        fix,
        related,
    )


def _unpack_diagnostic(packed: tuple[Any, ...]) -> Diagnostic:
    code, name, severity, path, start, end, message, remedy, fix, related = packed
    return Diagnostic(
        code,
        name,
        Severity(severity),
        path,
        Span(start, end),
        message,
        remedy,
        _unpack_fix(*fix) if fix else None,
        tuple(Related(other, Span(a, b), text) for other, a, b, text in related),
    )


def _unpack_fix(title: str, safe: bool, edits: tuple[tuple[str, int, int, str], ...]) -> Fix:
    made = ((path, TextEdit(Span(start, end), new)) for path, start, end, new in edits)
    return Fix(title, safe, tuple(made))
