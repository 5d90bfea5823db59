"""What the linter found in a tree the last time, kept in the user's cache while nothing changes.

Findings depend on every file that was read, every folder that was listed, everything that was
looked for in vain, the question and the program itself. What has the same status as before is the
same; of what has not, the content decides, so that a fresh checkout of the same files is known too.
The folder and the format are those of the plans (``cache.py``): nobody else may write there,
and nothing in it can run.
"""

from __future__ import annotations

import os
import stat
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

from synapse_ls.engine.hashing import text_hash
from synapse_ls.lint.diagnostic import Diagnostic, Fix, Related, Severity
from synapse_ls.service.cache import TICK, read_memo, write_memo
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span
from synapse_ls.workspace import stamps
from synapse_ls.workspace.folders import CONTINUATION, SESSIONS, is_session
from synapse_ls.workspace.read import MAX_BYTES, RefusedError, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from synapse_ls.workspace.loader import Loaded
    from synapse_ls.workspace.snapshot import Snapshot

    Witness = tuple[int, ...]
    Inputs = dict[str, tuple[Witness | None, str]]
    Sessions = tuple[int, tuple[tuple[str, ...], ...]]

_KIND = "check"
_MOST = 8  # questions whose answers are kept
_ROOMS = ("text", "formats", "workspace", "engine", "lint", "lint/rules")
_PACKAGE = os.path.dirname(os.path.dirname(__file__))


class Kept:
    """What is kept of the tree in the folder ``root``."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._began = time.time_ns()
        self._program = _program()
        memo = read_memo(root, _KIND)
        known = memo if memo.get("program") == self._program else {}
        self._inputs: Inputs = known.get("inputs", {})
        self._results: dict[str, Any] = known.get("results", {})
        self._sessions: Sessions = known.get("sessions", (0, ()))

    def findings(self, question: str) -> tuple[tuple[Diagnostic, ...], int] | None:
        """The findings that ``question`` had, whatever it says, and in how many files they were looked for.

        None where it must be asked again.
        """
        known = self._results.get(question)
        if known is None or not self._holds():
            return None
        packed, files = known
        return tuple(map(_unpacked, packed)), files

    def text(self, path: str) -> str:
        """The text of a file as it was read, "" for one that was refused or is only noted."""
        if path not in self._inputs:
            return ""
        try:
            content = read_file(self._full(path))
        except RefusedError:
            return ""
        return content.decoded.text if content else ""

    def keep(self, question: str, loaded: Loaded, found: Iterable[Diagnostic], files: int) -> None:
        """Keep what was found, unless something changed while, or just before, it was read."""
        inputs: Inputs = {}
        for path, stamp in loaded.stamps.items():
            full = self._full(path)
            witness = _witness(full)
            if _stamp(witness) != stamp or not self._is_settled(witness):
                return
            inputs[path] = (witness, _digest(full, witness))
        hours = loaded.index.snapshot().config.session.stale_hours
        notes = (
            tuple(note)
            for note in loaded.notes
            if is_session(note.path) or note.path == CONTINUATION
        )
        sessions = hours, tuple(notes)
        # The answers to other questions hold as long as they were made of the same.
        same = inputs == self._inputs and sessions == self._sessions
        results = self._results if same else {}
        results.pop(question, None)
        while len(results) >= _MOST:
            results.pop(next(iter(results)))
        results[question] = [_packed(diagnostic) for diagnostic in found], files
        self._inputs, self._sessions, self._results = inputs, sessions, results
        self._store()

    def _holds(self) -> bool:
        """Whether every input is what it was; what only looks different is noted for next time."""
        looked: Inputs = {}
        for path, (witness, digest) in self._inputs.items():
            full = self._full(path)
            now = _witness(full)
            if now == witness:
                continue
            if _digest(full, now) != digest:
                return False
            # Not noted while it could still change within the same tick of the clock.
            if self._is_settled(now):
                looked[path] = (now, digest)
        if _session_notes(self._root, self._sessions[0]) != self._sessions[1]:
            return False
        if looked:
            self._inputs.update(looked)
            self._store()
        return True

    def _is_settled(self, witness: Witness | None) -> bool:
        """Whether something was the same for a while before this process began to look at it."""
        return witness is None or max(witness[:2]) < self._began - TICK

    def _store(self) -> None:
        write_memo(
            self._root,
            _KIND,
            {
                "program": self._program,
                "inputs": self._inputs,
                "sessions": self._sessions,
                "results": self._results,
            },
        )

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root


def read_paths(snapshot: Snapshot) -> tuple[str, ...]:
    """The files that were read, and not only listed by name, sorted."""
    known = ((path, snapshot.facts(path)) for path in snapshot.paths())
    return tuple(path for path, facts in known if facts and facts.read)


def _session_notes(root: str, hours: int) -> tuple[tuple[str, ...], ...]:
    """What is noted of the sessions now: they change with every prompt, and with time alone."""
    if not (os.path.isdir(f"{root}/{SESSIONS}") or os.path.exists(f"{root}/{CONTINUATION}")):
        return ()
    from synapse_ls.formats.config import Config, Session
    from synapse_ls.workspace.session_notes import session_notes

    config = Config(session=Session(stale_hours=hours))
    return tuple(tuple(note) for note in session_notes(root, config, time.time()))


def _witness(path: str) -> Witness | None:
    """What changes with a file or folder, above all the time that nobody can set."""
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


def _stamp(witness: Witness | None) -> tuple[int, int, int] | None:
    """The loader's stamp of the same status."""
    if witness is None:
        return None
    modified, _, size, inode, _, mode = witness
    return stamps.stamp(mode, modified, size, inode)


def _digest(path: str, witness: Witness | None) -> str:
    """What is the same for the same content: of a file its bytes, of a folder its entries."""
    if witness is None:
        return ""
    mode, size = witness[5], witness[2]
    try:
        real = os.path.realpath(path) if os.path.islink(path) else ""
        if stat.S_ISDIR(mode):
            with os.scandir(path) as entries:
                names = sorted(f"{e.name}{e.is_dir()}{e.is_symlink()}" for e in entries)
            return text_hash("\0".join((str(mode), real, *names)))
        if stat.S_ISREG(mode) and size <= MAX_BYTES:
            with open(path, "rb") as file:
                data = file.read().decode("latin-1")
            return text_hash("\0".join((str(mode), real, data)))
    except OSError:
        pass
    return repr(witness)


def _program() -> str:
    """What changes with this program, be it by an update or because somebody works on it."""
    places = [os.path.join(_PACKAGE, room) for room in _ROOMS]
    yaml = find_spec("ruamel.yaml")
    if yaml and yaml.origin:
        places.append(os.path.dirname(yaml.origin))
    return text_hash("\n".join(f"{place} {line}" for place in places for line in _sources(place)))


def _sources(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith((".py", ".so", ".pyd")):
                status = entry.stat()
                yield f"{entry.name} {status.st_mtime_ns} {status.st_size}"


def _packed(found: Diagnostic) -> tuple[Any, ...]:
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


def _unpacked(packed: tuple[Any, ...]) -> Diagnostic:
    code, name, severity, path, start, end, message, remedy, fix, related = packed
    return Diagnostic(
        code,
        name,
        Severity(severity),
        path,
        Span(start, end),
        message,
        remedy,
        _fix(*fix) if fix else None,
        tuple(Related(other, Span(a, b), text) for other, a, b, text in related),
    )


def _fix(title: str, safe: bool, edits: tuple[tuple[str, int, int, str], ...]) -> Fix:
    made = ((path, TextEdit(Span(start, end), new)) for path, start, end, new in edits)
    return Fix(title, safe, tuple(made))
