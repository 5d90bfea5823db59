"""Plans on disk: shown as a diff, or carried out as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path

from synapse_ls.manage.plan import CREATE, EDIT, MOVE, RENAME, FileEdit, ManageError, Plan
from synapse_ls.sessions.files import SessionError, atomic_write, failure
from synapse_ls.text.decode import decode

_BOM = b"\xef\xbb\xbf"

_Undo = Callable[[], None]


def diff(plan: Plan) -> str:
    """What ``plan`` would do, as a unified diff with the headers of git; "" for an empty plan."""
    return "".join(line for change in plan.edits for line in _diff(change))


def apply(root: Path, plan: Plan) -> tuple[str, ...]:
    """Carry out ``plan`` below ``root``; the paths that were written, in the order of the plan.

    First every file is compared with the text that the plan was made for, so that nobody's change
    is lost. Then the files are written one by one, each atomically; where one fails, those before
    it are put back. A file's byte order mark, line breaks and permissions stay.

    Raises ManageError; unless its sentence says otherwise, everything is then as it was before.
    """
    old = [_current(root, change) for change in plan.edits]
    undo: list[tuple[str, _Undo]] = []
    try:
        for change, data in zip(plan.edits, old, strict=True):
            _write(root, change, data, undo)
    except BaseException as error:
        lost = _restore(undo)
        if not isinstance(error, SessionError | OSError):
            raise
        raise _failed(error, lost) from error
    return tuple(change.written for change in plan.edits)


def _current(root: Path, change: FileEdit) -> bytes:
    """The bytes of a file that will be changed; raises ManageError where they are not as planned."""
    new = root / change.written
    if change.action != EDIT and os.path.lexists(new) and not _only_respelled(root, change):
        raise ManageError(
            f"{change.written} already exists, so nothing was written.",
            "Move it away, or choose another name.",
        )
    if change.action == CREATE or (change.action == MOVE and (root / change.path).is_dir()):
        return b""
    try:
        data = (root / change.path).read_bytes()
    except OSError as error:
        raise _failed(failure("read", change.path, error), []) from error
    decoded = decode(data)
    if (_BOM if decoded.bom else b"") + decoded.text.encode(errors="replace") != data:
        raise ManageError(
            f"{change.path} is not UTF-8 throughout, so a change could damage the rest of it.",
            "Save it as UTF-8 first.",
        )
    if decoded.text != change.before:
        raise ManageError(
            f"{change.path} has changed since it was read, so nothing was written.",
            "Run the command again.",
        )
    return data


def _only_respelled(root: Path, change: FileEdit) -> bool:
    """Whether a new name is the old one to the file system, as ``A`` and ``a`` are on some."""
    old, new = root / change.path, root / change.written
    renamed = change.action in (RENAME, MOVE)
    return renamed and old.exists() and new.exists() and old.samefile(new)


def _write(root: Path, change: FileEdit, old: bytes, undo: list[tuple[str, _Undo]]) -> None:
    """Make one change and note how to take it back."""
    source, target = root / change.path, root / change.written
    undo += ((str(folder), folder.rmdir) for folder in make_folders(target.parent))
    if change.action == CREATE:
        atomic_write(str(target), change.after.encode(), durable=True)
        undo.append((change.path, target.unlink))
        return
    if change.action in (RENAME, MOVE):
        _move(source, target)
        undo.append((change.path, lambda: _move(target, source)))
    if change.edits:
        mark = _BOM if old.startswith(_BOM) else b""
        atomic_write(str(target), mark + change.after.encode(), durable=True)
        undo.append((change.path, lambda: atomic_write(str(target), old, durable=True)))


def _move(source: Path, target: Path) -> None:
    source.rename(target)


def make_folders(folder: Path) -> Iterator[Path]:
    """Create ``folder`` with the parents it lacks; the ones created, the outermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        yield path


def _restore(undo: list[tuple[str, _Undo]]) -> list[str]:
    """Take changes back, the last one first; the paths at which that failed."""
    lost = []
    for path, step in reversed(undo):
        try:
            step()
        except (SessionError, OSError):
            lost.append(path)
    return lost


def _failed(error: SessionError | OSError, lost: list[str]) -> ManageError:
    known = error if isinstance(error, SessionError) else failure("write", "the files", error)
    if lost:
        return ManageError(
            f"{known.sentence} What was done before could not be taken back in {', '.join(lost)}.",
            f"Check these files. {known.remedy}",
        )
    return ManageError(known.sentence, known.remedy)


def _diff(change: FileEdit) -> Iterator[str]:
    if change.action in (RENAME, MOVE):
        yield f"rename from {change.path}\nrename to {change.target}\n"
    before = "/dev/null" if change.action == CREATE else f"a/{change.path}"
    yield unified(change.before, change.after, before, f"b/{change.written}")


def unified(before: str, after: str, old_name: str, new_name: str) -> str:
    """The difference of two texts as a unified diff, "" where there is none."""
    lines = unified_diff(_lines(before), _lines(after), old_name, new_name)
    missing = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + missing for line in lines)


def _lines(text: str) -> list[str]:
    """The lines of a text with their breaks: at LF only, as diff and patch see them."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines
