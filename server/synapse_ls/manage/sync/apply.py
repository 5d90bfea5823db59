"""Carrying out what synchronisation has planned: all files or none."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

from synapse_ls.manage.apply import make_folders
from synapse_ls.manage.difference import NONE
from synapse_ls.manage.plan import ManageError
from synapse_ls.manage.sync.change import Change
from synapse_ls.sessions.files import SessionError, atomic_write, failure


def carry_out(root: Path, changes: Iterable[Change]) -> tuple[Change, ...]:
    """Write the files, and take away those with nothing to say; those that were written.

    What has a trouble is left alone. Raises ManageError where one cannot be written or is not as
    planned any more; everything is then as it was before.
    """
    planned = [one for one in changes if not one.trouble and one.action != NONE]
    for change in planned:
        if _data(change.real) != change.before:
            raise ManageError(
                f"{change.path} has changed since it was read, so nothing was written.",
                "Run the command again.",
            )
    undo: list[Callable[[], None]] = []
    try:
        for change in planned:
            _make(root, change, undo)
    except BaseException as error:
        for step in reversed(undo):
            step()
        if not isinstance(error, SessionError | OSError):
            raise
        known = error if isinstance(error, SessionError) else failure("write", change.path, error)
        raise ManageError(f"{known.sentence} Nothing was changed.", known.remedy) from error
    return tuple(planned)


def _data(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        known = failure("read", str(file), error)
        raise ManageError(known.sentence, known.remedy) from error


def _make(root: Path, change: Change, undo: list[Callable[[], None]]) -> None:
    file, before = change.real, change.before
    if change.after is None:
        file.unlink()
        undo.append(lambda: atomic_write(str(file), before or b"", durable=True))
        link = root / change.path
        if link.is_symlink():
            target = link.readlink()
            link.unlink()
            undo.append(lambda: link.symlink_to(target))
        _drop_folders(root, file, undo)
        return
    undo += (folder.rmdir for folder in make_folders(file.parent))
    atomic_write(str(file), change.after, durable=True)
    if before is None:
        undo.append(file.unlink)
    else:
        undo.append(lambda: atomic_write(str(file), before, durable=True))


def _drop_folders(root: Path, file: Path, undo: list[Callable[[], None]]) -> None:
    """Remove the folders that have nothing in them any more."""
    for folder in file.parents:
        if root.resolve() not in folder.parents:
            return
        with contextlib.suppress(OSError):  # something else is in it
            folder.rmdir()
            undo.append(folder.mkdir)
            continue
        return
