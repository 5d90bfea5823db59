"""The hook's log: what went wrong, in the user's cache folder, never a prompt."""

from __future__ import annotations

import os
from time import gmtime, strftime

from synapse_ls.service import cache

LIMIT = 1_000_000  # bytes, after which the log starts anew beside its predecessor


def note(error: BaseException) -> None:
    """Add a line about ``error``: its kind, where it was raised, and what it says."""
    line(f"{_place(error)} {_what(error)}")


def line(text: str) -> None:
    """Add a line with the time before it; a log that cannot be written is no failure."""
    try:
        folder = cache.folder()
        os.makedirs(folder, mode=0o700, exist_ok=True)
        stamped = f"{strftime('%Y-%m-%dT%H:%M:%SZ', gmtime())} {text}\n"
        append(os.path.join(folder, "hook.log"), stamped.encode("utf-8", "replace"), LIMIT)
    except OSError:
        return


def append(path: str, data: bytes, limit: int) -> None:
    """Add to a file that only its user reads; beyond ``limit`` bytes it starts anew.

    Its predecessor stays beside it. OSError where that is not possible.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        ours = os.fstat(descriptor)
        full = ours.st_size > limit
        if not full:
            os.write(descriptor, data)
    finally:
        os.close(descriptor)
    if full:
        # Another process may have been first: then this file is the predecessor already.
        if os.stat(path).st_ino == ours.st_ino:
            os.replace(path, f"{path}.1")
        append(path, data, limit)


def _what(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    if trace is None:
        return "-"
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "?")
    return f"{module}:{trace.tb_lineno}"
