"""This module stands for ``os`` where that is not loaded. The calls of the system are those that
``os`` has, and what it adds to them is here as far as a hook needs it. Whatever else is asked for
is taken from ``os`` itself.
"""

from __future__ import annotations

import posix
import sys

from synapse_ls.workspace import posix_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

name, path = "posix", posix_paths
curdir, pardir, sep, pathsep, linesep, devnull = ".", "..", "/", ":", "\n", "/dev/null"
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
supports_dir_fd = {
    getattr(posix, call)
    for feature, call in (
        ("HAVE_OPENAT", "open"),
        ("HAVE_FSTATAT", "stat"),
        ("HAVE_MKDIRAT", "mkdir"),
        ("HAVE_RENAMEAT", "rename"),
        ("HAVE_UNLINKAT", "unlink"),
    )
    if feature in posix._have_functions  # type: ignore[attr-defined]
}
_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


def fsencode(filename: Any) -> bytes:
    """Returns a path as the bytes that the system knows it by."""
    given = posix.fspath(filename)
    return given.encode(_ENCODING, _ERRORS) if isinstance(given, str) else given


def fsdecode(filename: Any) -> str:
    """Returns the text of a path."""
    given = posix.fspath(filename)
    return given if isinstance(given, str) else given.decode(_ENCODING, _ERRORS)


environ = {fsdecode(key): fsdecode(value) for key, value in posix.environ.items()}
"""The environment that the process was started with; nothing here changes it."""


def __getattr__(missing: str) -> Any:
    """Returns what is asked for the first time; then it is there."""
    found = getattr(posix, missing, None)
    if found is None:
        if missing.isupper() or missing.startswith("__"):  # this system has no such constant
            raise AttributeError(missing)
        import os

        found = getattr(os, missing)
    globals()[missing] = found
    return found
