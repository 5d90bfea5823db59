"""Cache the linter's findings of a tree in the user's cache folder.

Findings depend on every file and folder that was read or missing, the question, and the program. An
unchanged stat counts as unchanged.
Folder and format are those of ``plan_cache``: private, and not executable.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from synapse_ls.storage.plan_cache import CLOCK_TICK, read_memo, write_memo
from synapse_ls.text.digest import hash_text
from synapse_ls.text.finding import Finding, Fix, Related, Severity
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace import private_folders, regular_files, tree_folders
from synapse_ls.workspace.file_reader import RefusedError, read_file

if TYPE_CHECKING:
    from synapse_ls.workspace.snapshot import Snapshot
    from synapse_ls.workspace.tree_loader import LoadedTree

FileStatus = tuple[int, ...]
Statuses = dict[str, FileStatus | None]
NoteTexts = tuple[str, str, str, str]
Sessions = tuple[int, tuple[NoteTexts, ...], float]

_MEMO_KIND = "check"
_MAX_QUESTIONS = 8  # questions whose answers are kept
_PROGRAM_FOLDERS = (
    "text", "formats", "workspace", "engine", "edits", "integrations", "lint", "queries",
)  # fmt: skip
_PACKAGE_FOLDER = os.path.dirname(os.path.dirname(__file__))


class FindingsCache:
    """The cached findings of the tree in the folder ``root``."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._began = time.time_ns()
        self._program = _program_digest()
        if (memo := read_memo(root, _MEMO_KIND)).get("program") != self._program:
            memo = {}
        self._statuses: Statuses = memo.get("statuses", {})
        self._read: tuple[str, ...] = memo.get("read", ())
        self._results: dict[str, Any] = memo.get("results", {})
        self._sessions: Sessions = memo.get("sessions", (0, (), 0.0))

    def findings(self, question: str) -> tuple[tuple[Finding, ...], int] | None:
        """Return the findings that ``question`` had, whatever it says, and in how many files they
        were looked for.

        None where it must be asked again.
        """
        result = self._results.get(question)
        hours, notes, expiry = self._sessions
        if result is None or self._began / 1e9 >= expiry:
            return None
        if any(self._status(path) != status for path, status in self._statuses.items()):
            return None
        # What is noted of the sessions changes with every prompt, and with time alone.
        current: tuple[NoteTexts, ...] = ()
        private = (*tree_folders.PRIVATE_FOLDERS, *tree_folders.CONTINUATIONS)
        if any(os.path.lexists(f"{self._root}/{path}") for path in private):
            from synapse_ls.workspace.tree_notes import session_notes

            current = (
                *map(_note_texts, session_notes(self._root, hours, time.time())),
                *map(_note_texts, private_folders.private_file_notes(self._root)),
            )
        if current != notes:
            return None
        packed, files = result
        return tuple(map(_unpack_diagnostic, packed)), files

    def text(self, path: str) -> str:
        """Return the text of a file as it was read, "" for one that was refused, is only noted, or
        is no longer the file that was looked at: a link may lead anywhere.
        """
        if path not in self._read:
            return ""
        try:
            content = read_file(os.path.join(self._root, path))
        except RefusedError:
            return ""
        stamp = _loader_stamp(path, self._statuses[path])
        if content is None or regular_files.stamp_of_status(content.status) != stamp:
            return ""
        return content.decoded.text

    def store(
        self, question: str, loaded: LoadedTree, findings: Iterable[Finding], files: int
    ) -> None:
        """Store what was found, unless something changed while, or just before, it was read."""
        from synapse_ls.workspace.tree_notes import next_expiry

        statuses: Statuses = {}
        for path, stamp in loaded.stamps.items():
            status = statuses[path] = self._status(path)
            is_settled = status is None or max(status[:2]) < self._began - CLOCK_TICK
            if _loader_stamp(path, status) != stamp or not is_settled:
                return
        snapshot = loaded.index.snapshot()
        sessions = (
            snapshot.config.session.stale_hours,
            tuple(
                _note_texts(note)
                for note in loaded.notes
                if tree_folders.is_session_path(note.path)
                or note.path in tree_folders.CONTINUATIONS
                or note.kind == private_folders.NOTE_KIND
            ),
            next_expiry(snapshot, self._began / 1e9),
        )
        # The answers to other questions hold as long as they were made of the same.
        is_same = statuses == self._statuses and sessions == self._sessions
        results = self._results if is_same else {}
        results.pop(question, None)
        while len(results) >= _MAX_QUESTIONS:
            results.pop(next(iter(results)))
        results[question] = [_pack_diagnostic(finding) for finding in findings], files
        memo = {
            "program": self._program,
            "statuses": statuses,
            "read": read_paths(snapshot),
            "sessions": sessions,
            "results": results,
        }
        write_memo(self._root, _MEMO_KIND, memo)

    def _status(self, path: str) -> FileStatus | None:
        """Return what changes with a file or folder, above all the time that nobody can set; None
        where there is none.
        """
        try:
            status = os.stat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return None
        changed = status.st_mtime_ns if os.name == "nt" else status.st_ctime_ns
        identity = status.st_size, status.st_ino, status.st_dev, status.st_mode
        return status.st_mtime_ns, changed, *identity


def read_paths(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the files that were read to find what the cache keeps, and not only listed by name,
    sorted.
    """
    return tuple(p for p in snapshot.paths() if (facts := snapshot.facts(p)) and facts.is_read)


def _note_texts(note: Finding) -> NoteTexts:
    return note.path, note.kind, note.message, note.remedy


def _loader_stamp(path: str, status: FileStatus | None) -> tuple[int, int, int] | None:
    """Return the loader's stamp of the same status of a path."""
    if status is None:
        return None
    modified, changed, size, inode, _, mode = status
    return regular_files.make_stamp(mode, changed if os.path.isabs(path) else modified, size, inode)


def _program_digest() -> str:
    """Return what changes with this program, be it by an update or because somebody works on it."""
    places = [os.path.join(_PACKAGE_FOLDER, folder) for folder in _PROGRAM_FOLDERS]
    if (yaml := find_spec("ruamel.yaml")) and yaml.origin:
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


def _pack_diagnostic(finding: Finding) -> tuple[Any, ...]:
    fix: tuple[Any, ...] | None = None
    if finding.fix:
        edits = tuple((path, *edit.span, edit.new_text) for path, edit in finding.fix.edits)
        fix = (finding.fix.title, finding.fix.safe, edits)
    return (
        finding.code,
        finding.name,
        finding.severity.value,
        finding.path,
        *finding.span,
        finding.message,
        finding.remedy,
        fix,
        tuple((other.path, *other.span, other.message) for other in finding.related),
    )


def _unpack_diagnostic(packed: tuple[Any, ...]) -> Finding:
    code, name, severity, path, start, end, message, remedy, fix, related = packed
    if fix:
        title, safe, edits = fix
        fix = Fix(
            title, safe, tuple((other, TextEdit(Span(a, b), new)) for other, a, b, new in edits)
        )
    return Finding(
        Span(start, end),
        message,
        remedy,
        fix,
        tuple(Related(other, Span(a, b), text) for other, a, b, text in related),
        path=path,
        code=code,
        name=name,
        severity=Severity(severity),
    )
