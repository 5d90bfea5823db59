"""This module is the store of continuations: it reads and writes the continuation file of a tree,
which tells the next session where the last one stopped, and keeps earlier ones beside it.
"""

from __future__ import annotations

import os

from synapse_ls.formats.continuation_file import Continuation, parse, render_continuation
from synapse_ls.storage.atomic_files import (
    PRIVATE_FILE,
    FileLock,
    StorageError,
    atomic_write,
    read_bytes,
    remove_quietly,
)
from synapse_ls.storage.session_store import create_private_folder, free_name, ignore_in_git
from synapse_ls.text.secret_tokens import mask_secrets
from synapse_ls.workspace.tree_folders import CONTINUATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MAX_EARLIER: Final = 20  # files before the latest one
LOCK_SECONDS: Final = 5.0  # seconds
MAX_BYTES: Final = 1_000_000  # bytes
EXTENSION: Final = ".md"
FINISHED: Final = "finished"  # the state of work that nobody has to go on with


def continuation_path(root: str) -> str:
    """Returns the path at which the latest continuation is stored."""
    return os.path.join(root, CONTINUATION)


def read_continuation(path: str, root: str) -> Continuation | None:
    """Reads a stored continuation from a file of the tree at ``root``; None where there is no file
    or it names no session.
    """
    try:
        data = read_bytes(path, MAX_BYTES, within=root)
    except StorageError:
        return None
    if data is None:
        return None
    found = parse(data.decode("utf-8", "replace"))
    return found if found.session else None


def write_continuation(root: str, continuation: Continuation) -> str:
    """Stores the continuation as the latest one and returns its path from the root. Raises
    StorageError.

    What stood there is kept under its time, so that nothing that a person wrote into it is lost.
    """
    path = continuation_path(root)
    folder = os.path.dirname(path)
    create_private_folder(folder, root)
    with FileLock(path, LOCK_SECONDS, within=root):
        data = mask_secrets(render_continuation(continuation)).encode("utf-8", "replace")
        before = _read_file(path, root)
        if before is not None and before != data:
            _keep_earlier(path, before, root)
        atomic_write(path, data, within=root, durable=True, mode=PRIVATE_FILE)
        for old in earlier_paths(root)[MAX_EARLIER:]:
            remove_quietly(old, within=root)
    ignore_in_git(folder, root)
    return CONTINUATION


def earlier_paths(root: str) -> list[str]:
    """Returns the paths of the stored continuations before the latest one, the newest first."""
    folder = os.path.dirname(continuation_path(root))
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


def find_unfinished(root: str, agent: str = "") -> Continuation | None:
    """Returns the newest stored continuation that somebody should go on with, None for none.

    agent: who is about to: its own work counts, and that of no agent in particular; "" for
    anybody's. Of each session its last word counts.
    """
    said = set()
    for path in (continuation_path(root), *earlier_paths(root)):
        found = read_continuation(path, root)
        if found is None or found.session in said:
            continue
        said.add(found.session)
        if found.state != FINISHED and (not agent or found.agent in ("", agent)):
            return found
    return None


def continuation_of_session(root: str, session: str) -> Continuation | None:
    """Returns the newest stored continuation that a session has left, None for none."""
    for path in (continuation_path(root), *earlier_paths(root)):
        found = read_continuation(path, root)
        if found is not None and found.session == session:
            return found
    return None


def _read_file(path: str, root: str) -> bytes | None:
    try:
        return read_bytes(path, MAX_BYTES, within=root)
    except StorageError:
        return None


def _keep_earlier(path: str, data: bytes, root: str) -> None:
    """Writes the content of ``path`` to a file beside it, named by the time at which it was made."""
    made = parse(data.decode("utf-8", "replace")).created
    stem = (
        "".join(c if c.isalnum() or c in "TZ" else "-" for c in made.partition(".")[0]) or "undated"
    )
    target = os.path.join(os.path.dirname(path), stem + EXTENSION)
    if os.path.lexists(target):
        target = free_name(target.removesuffix(EXTENSION)) + EXTENSION
    atomic_write(target, data, within=root, durable=True, mode=PRIVATE_FILE)
