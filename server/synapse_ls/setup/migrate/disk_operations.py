"""This module has every way in which a migration touches the disk: read, write, copy, remove. Each
either has happened or has not.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.storage.atomic_files import PRIVATE_FILE, StorageError, atomic_write, storage_error
from synapse_ls.workspace.edit_plan import EditError

_PARTIAL = ".partial"
_GOING = ".going"


def read_file(path: Path) -> bytes | None:
    """Returns the bytes of a file, behind a link too; None where there is none. Raises
    StorageError.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_error("read", str(path), error) from error


def write_file(path: Path, data: bytes, *, private: bool = False) -> None:
    """Makes ``data`` the content of a file, all or nothing."""
    atomic_write(str(path), data, durable=True, mode=PRIVATE_FILE if private else None)


def make_folder(path: Path, *, private: bool = False) -> None:
    """Creates a folder whose parent exists; nothing happens where it is there."""
    try:
        path.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
    except OSError as error:
        raise storage_error("create", str(path), error) from error


def remove_file(path: Path) -> None:
    """Removes a file or a link; nothing happens where it is gone."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error("remove", str(path), error) from error


def remove_empty_folder(path: Path) -> None:
    """Removes a folder that nothing is in; one with something in it stays."""
    try:
        path.rmdir()
    except OSError:
        return


def rename_path(path: Path, target: Path) -> None:
    """Gives a file or a folder another name in the same folder, or in one of the same file system."""
    try:
        path.rename(target)
    except OSError as error:
        raise storage_error("move", str(path), error) from error


def path_exists(path: Path) -> bool:
    """Tells whether there is anything at ``path``, a link to nothing included."""
    return os.path.lexists(path)


def copy_path(path: Path, target: Path) -> None:
    """Makes ``target`` a copy of a file, a link or a folder with all that is in it, or leaves
    nothing.

    Links stay links, and permissions and times are kept. Raises StorageError; EditError for what
    is neither a file nor a folder nor a link.
    """
    for place in _iter_inside(path):
        mode = place.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
            raise EditError(
                f"{place} is neither a file nor a folder, so it cannot be backed up.",
                "Move it away.",
            )
    partial = target.with_name(target.name + _PARTIAL)
    remove_path(partial)
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, partial, symlinks=True)
        else:
            shutil.copy2(path, partial, follow_symlinks=False)
    except (OSError, shutil.Error) as error:
        remove_path(partial)
        raise _copy_failure(path, error) from error
    rename_path(partial, target)


def remove_path(path: Path) -> None:
    """Removes a file, a link or a folder with all that is in it; nothing happens where it is gone.

    A folder disappears in one step: first it loses its name.
    """
    finish_removal(path)
    if not path.is_dir() or path.is_symlink():
        remove_file(path)
        return
    rename_path(path, path.with_name(path.name + _GOING))
    finish_removal(path)


def finish_removal(path: Path) -> None:
    """Removes what an interrupted removal has left of ``path``."""
    _remove_folder(path.with_name(path.name + _GOING))


def is_same_content(path: Path, other: Path) -> bool:
    """Tells whether two files, links or folders have the same content."""
    if path.is_symlink() or other.is_symlink():
        both = path.is_symlink() and other.is_symlink()
        return both and path.readlink() == other.readlink()
    if path.is_dir() and other.is_dir():
        names = sorted(entry.name for entry in path.iterdir())
        others = sorted(entry.name for entry in other.iterdir())
        return names == others and all(is_same_content(path / name, other / name) for name in names)
    return path.is_file() and other.is_file() and read_file(path) == read_file(other)


def _iter_inside(path: Path) -> Iterator[Path]:
    yield path
    if path.is_dir() and not path.is_symlink():
        for entry in sorted(path.iterdir()):
            yield from _iter_inside(entry)


def _remove_folder(path: Path) -> None:
    if not path.is_dir() or path.is_symlink():
        return
    try:
        for folder, _, _ in os.walk(path):
            Path(folder).chmod(0o700)  # what may not be written cannot be emptied
        shutil.rmtree(path)
    except OSError as error:
        raise storage_error("remove", str(path), error) from error


def _copy_failure(path: Path, error: OSError | shutil.Error) -> StorageError:
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        first = error.args[0][0]
        return StorageError(f"Cannot copy {first[0]}: {first[2]}.", "Make it readable.")
    return storage_error("copy", str(path), error)
