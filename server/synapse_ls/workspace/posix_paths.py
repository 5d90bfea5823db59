"""This module stands for ``os.path`` where that is not loaded (see `posix_calls`): the functions that
a hook needs, for paths that are texts. Whatever else is asked for is taken from ``os.path`` itself.
"""

from __future__ import annotations

import sys
from posix import _path_normpath, environ, fspath, getcwd, lstat, stat  # type: ignore[attr-defined]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import stat_result
    from typing import Any

_KIND, _FOLDER, _FILE, _LINK = 0o170000, 0o040000, 0o100000, 0o120000  # of `st_mode`


def join(first: Any, *more: Any) -> str:
    """Returns paths joined with slashes; one that is absolute takes the place of those before it."""
    path: str = fspath(first)
    for part in map(fspath, more):
        if part.startswith("/"):
            path = part
        else:
            path += part if not path or path.endswith("/") else f"/{part}"
    return path


def split(path: Any) -> tuple[str, str]:
    """Returns what stands before and after the last slash."""
    path = fspath(path)
    start = path.rfind("/") + 1
    return path[:start].rstrip("/") or path[:start], path[start:]


def dirname(path: Any) -> str:
    """Returns what stands before the last slash."""
    return split(path)[0]


def basename(path: Any) -> str:
    """Returns what stands after the last slash."""
    return split(path)[1]


def isabs(path: Any) -> bool:
    """Returns whether a path is absolute."""
    return bool(fspath(path).startswith("/"))


def normpath(path: Any) -> str:
    """Returns a path without ``.``, ``..`` and double slashes."""
    return _path_normpath(fspath(path)) or "."


def abspath(path: Any) -> str:
    """Returns a normal path from the root on."""
    path = fspath(path)
    return normpath(path if path.startswith("/") else join(getcwd(), path))


def realpath(path: Any, *, strict: bool = False) -> str:
    """Returns a path from the root on without any links."""
    whole = join(getcwd(), path)
    names = whole.split("/")
    if strict or ".." in names or any(map(_is_link, _folders_of(names))):
        found: str = __getattr__("realpath")(path, strict=strict)
        return found
    return normpath(whole)


def relpath(path: Any, start: Any = ".") -> str:
    """Returns a path from the folder ``start`` on."""
    path = fspath(path)
    if not path:
        raise ValueError("no path specified")
    names = [name for name in abspath(path).split("/") if name]
    before = [name for name in abspath(start).split("/") if name]
    same = 0
    while same < min(len(names), len(before)) and names[same] == before[same]:
        same += 1
    return "/".join([".."] * (len(before) - same) + names[same:]) or "."


def expanduser(path: Any) -> str:
    """Returns a path with the home folder in the place of ``~``."""
    given: str = fspath(path)
    if not given.startswith("~"):
        return given
    if given[1:2] not in ("", "/") or b"HOME" not in environ:
        found: str = __getattr__("expanduser")(given)
        return found
    home = environ[b"HOME"].decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
    return home.rstrip("/") + given[1:] or "/"


def exists(path: Any) -> bool:
    """Returns whether there is something at a path, or at the end of a link there."""
    return _status_of(path) is not None


def isdir(path: Any) -> bool:
    """Returns whether there is a folder at a path, or at the end of a link there."""
    status = _status_of(path)
    return status is not None and status.st_mode & _KIND == _FOLDER


def isfile(path: Any) -> bool:
    """Returns whether there is a regular file at a path, or at the end of a link there."""
    status = _status_of(path)
    return status is not None and status.st_mode & _KIND == _FILE


def lexists(path: Any) -> bool:
    """Returns whether there is something at a path."""
    try:
        lstat(path)
    except (OSError, ValueError):
        return False
    return True


def islink(path: Any) -> bool:
    """Returns whether there is a link at a path."""
    try:
        return _is_link(path)
    except ValueError:
        return False


def samestat(one: stat_result, other: stat_result) -> bool:
    """Returns whether two statuses are of the same file."""
    return one.st_ino == other.st_ino and one.st_dev == other.st_dev


def _status_of(path: Any) -> stat_result | None:
    try:
        return stat(path)
    except (OSError, ValueError):
        return None


def _is_link(path: Any) -> bool:
    try:
        return lstat(path).st_mode & _KIND == _LINK
    except OSError:
        return False


def _folders_of(names: list[str]) -> list[str]:
    """Returns the paths of all folders above, and the whole path."""
    return ["/".join(names[:count]) for count in range(2, len(names) + 1)]


def __getattr__(missing: str) -> Any:
    if missing.startswith("__"):
        raise AttributeError(missing)
    import os

    return getattr(os.path, missing)
