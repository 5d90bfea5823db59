"""The continuation file of a tree: written whole, the ones before it kept."""

from __future__ import annotations

import os

from synapse_ls.formats.continuation import Continuation, parse, render
from synapse_ls.sessions.files import Lock, SessionError, atomic_write, read_bytes, remove
from synapse_ls.sessions.store import create_folder, free_name, ignore_in_git
from synapse_ls.workspace.folders import CONTINUATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

KEPT: Final = 20  # files before the latest one
PATIENCE: Final = 5.0  # seconds
LIMIT: Final = 1_000_000  # bytes
EXTENSION: Final = ".md"
FINISHED: Final = "finished"  # the state of work that nobody has to go on with


def path_of(root: str) -> str:
    """Where the latest one is."""
    return os.path.join(root, CONTINUATION)


def read(path: str) -> Continuation | None:
    """The continuation in a file, None where there is none that says whose it is."""
    try:
        data = read_bytes(path, LIMIT)
    except SessionError:
        return None
    if data is None:
        return None
    found = parse(data.decode("utf-8", "replace"))
    return found if found.session else None


def write(root: str, continuation: Continuation) -> str:
    """Make it the latest one; its path from the root. Raises SessionError.

    What stood there is kept under its time, so that nothing that a person wrote into it is lost.
    """
    path = path_of(root)
    folder = os.path.dirname(path)
    create_folder(folder)
    with Lock(path, PATIENCE):
        data = render(continuation).encode("utf-8", "replace")
        before = _bytes(path)
        if before is not None and before != data:
            _keep(path, before)
        atomic_write(path, data, durable=True)
        for old in earlier(root)[KEPT:]:
            remove(old)
    ignore_in_git(folder)
    return CONTINUATION


def earlier(root: str) -> list[str]:
    """The paths of those before the latest one, the newest first."""
    folder = os.path.dirname(path_of(root))
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    own = os.path.basename(CONTINUATION)
    return [
        os.path.join(folder, name)
        for name in sorted(names, reverse=True)
        if name.endswith(EXTENSION) and name != own and not name.startswith(".")
    ]


def waiting(root: str, agent: str = "") -> Continuation | None:
    """The newest that somebody should go on with, None for none.

    agent: who is about to: its own work counts, and that of no agent in particular; "" for anybody's.
    Of each session its last word counts.
    """
    said = set()
    for path in (path_of(root), *earlier(root)):
        found = read(path)
        if found is None or found.session in said:
            continue
        said.add(found.session)
        if found.state != FINISHED and (not agent or found.agent in ("", agent)):
            return found
    return None


def of_session(root: str, session: str) -> Continuation | None:
    """The newest continuation that a session has left, None for none."""
    for path in (path_of(root), *earlier(root)):
        found = read(path)
        if found is not None and found.session == session:
            return found
    return None


def _bytes(path: str) -> bytes | None:
    try:
        return read_bytes(path, LIMIT)
    except SessionError:
        return None


def _keep(path: str, data: bytes) -> None:
    """Put what stands at ``path`` beside it, under the time at which it was made."""
    made = parse(data.decode("utf-8", "replace")).created
    stem = (
        "".join(c if c.isalnum() or c in "TZ" else "-" for c in made.partition(".")[0]) or "undated"
    )
    target = os.path.join(os.path.dirname(path), stem + EXTENSION)
    if os.path.lexists(target):
        target = free_name(target.removesuffix(EXTENSION)) + EXTENSION
    atomic_write(target, data, durable=True)
