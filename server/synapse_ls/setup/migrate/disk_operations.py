"""This module has every way in which a migration touches the disk: read, write, copy, remove. Each
either has happened or has not.

``project`` is what must not be left by links; a path outside of it, as those of the journal and of
the user's settings, is the user's own.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.storage.atomic_files import (
    ANYWHERE,
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    StorageError,
    atomic_write,
    make_folders,
    move_path,
    storage_error,
)
from synapse_ls.storage.atomic_files import remove_file as remove_confined
from synapse_ls.storage.atomic_files import remove_folder as remove_confined_folder
from synapse_ls.storage.confined_folders import PLAIN_FOLDER, open_folder
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.regular_files import read_whole

_PARTIAL = ".partial"
_GOING = ".going"


def read_file(path: Path) -> bytes | None:
    """Reads the bytes of a file for a migration, behind a link too; None where there is none.
    Raises StorageError.
    """
    try:
        return read_whole(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_error("read", str(path), error) from error


def write_file(path: Path, data: bytes, project: Path, *, private: bool = False) -> None:
    """Writes a file for a migration, all or nothing."""
    mode = PRIVATE_FILE if private else None
    atomic_write(str(path), data, within=_within(path, project), durable=True, mode=mode)


def make_folder(path: Path, project: Path, *, private: bool = False) -> None:
    """Creates a folder for a migration whose parent exists; nothing happens where it is there."""
    mode = PRIVATE_FOLDER if private else PLAIN_FOLDER
    make_folders(str(path), within=_within(path, project), mode=mode)


def remove_file(path: Path, project: Path) -> None:
    """Removes a file or a link for a migration; nothing happens where it is gone."""
    if os.path.lexists(path):
        remove_confined(str(path), within=_within(path, project))


def remove_empty_folder(path: Path, project: Path) -> None:
    """Removes a folder for a migration that nothing is in; one with something in it stays."""
    remove_confined_folder(str(path), within=_within(path, project))


def rename_path(path: Path, target: Path, project: Path) -> None:
    """Gives a file or a folder another name for a migration, in the same folder, or in one of the
    same file system.
    """
    move_path(str(path), str(target), within=_within(path, project))


def path_exists(path: Path) -> bool:
    """Tells a migration whether there is anything at ``path``, a link to nothing included."""
    return os.path.lexists(path)


def copy_path(path: Path, target: Path, project: Path) -> None:
    """Makes ``target`` a copy of a file, a link or a folder for a migration, with all that is in
    it, or leaves nothing.

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
    remove_path(partial, project)
    _check_parent(target, project)
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, partial, symlinks=True)
        else:
            shutil.copy2(path, partial, follow_symlinks=False)
    except (OSError, shutil.Error) as error:
        remove_path(partial, project)
        raise _copy_failure(path, error) from error
    rename_path(partial, target, project)


def remove_path(path: Path, project: Path) -> None:
    """Removes a file, a link or a folder for a migration, with all that is in it; nothing happens
    where it is gone.

    A folder disappears in one step: first it loses its name.
    """
    finish_removal(path, project)
    if not path.is_dir() or path.is_symlink():
        remove_file(path, project)
        return
    rename_path(path, path.with_name(path.name + _GOING), project)
    finish_removal(path, project)


def finish_removal(path: Path, project: Path) -> None:
    """Removes what an interrupted removal of a migration has left of ``path``."""
    going = path.with_name(path.name + _GOING)
    if os.path.lexists(going):
        _check_parent(going, project)
        _remove_folder(going)


def is_same_content(path: Path, other: Path) -> bool:
    """Tells a migration whether two files, links or folders have the same content."""
    if path.is_symlink() or other.is_symlink():
        both = path.is_symlink() and other.is_symlink()
        return both and path.readlink() == other.readlink()
    if path.is_dir() and other.is_dir():
        names = sorted(entry.name for entry in path.iterdir())
        others = sorted(entry.name for entry in other.iterdir())
        return names == others and all(is_same_content(path / name, other / name) for name in names)
    return path.is_file() and other.is_file() and read_file(path) == read_file(other)


def _within(path: Path, project: Path) -> str:
    return str(project) if path.is_relative_to(project) else ANYWHERE


def _check_parent(path: Path, project: Path) -> None:
    """Raises StorageError where the folder of ``path`` is behind a link that leads out."""
    try:
        with open_folder(str(path.parent), _within(path, project)):
            pass
    except OSError as error:
        raise storage_error("change", str(path), error) from error


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
