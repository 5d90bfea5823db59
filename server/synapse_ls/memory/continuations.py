"""Store and read a tree's continuations, the earlier ones beside the latest."""

import os
from collections.abc import Iterator

from synapse_ls.formats.continuation_file import Continuation, parse, render_continuation
from synapse_ls.storage import atomic_files, plan_cache, session_store
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.text.secret_masking import mask_secrets
from synapse_ls.workspace.outside_links import list_names
from synapse_ls.workspace.rule_systems import is_chati_tree
from synapse_ls.workspace.tree_folders import CHATI_CONTINUATION, CONTINUATION

MAX_EARLIER = 20  # files before the latest one that are read
LOCK_SECONDS = 5.0  # seconds
MAX_BYTES = 1_000_000  # bytes
EXTENSION = ".md"
SECOND_LENGTH = len("2026-11-21T20:46:22")  # characters of a time of ISO 8601 up to its second
FINISHED = "finished"  # the state of work that nobody has to go on with


def continuation_place(root: str) -> str:
    """Return the path from the root at which the latest continuation is written."""
    return _continuation_places(root)[0]


def _continuation_places(root: str) -> tuple[str, ...]:
    """Return where the latest continuation is, and where it may be from before."""
    return (CHATI_CONTINUATION, CONTINUATION) if is_chati_tree(root) else (CONTINUATION,)


def latest_continuation(root: str) -> Continuation | None:
    """Read the continuation that a session of this user wrote last, None where there is none."""
    places = (os.path.join(root, place) for place in _continuation_places(root))
    return next(filter(None, (_read_own(path, root) for path in places)), None)


def is_latest_foreign(root: str) -> bool:
    """Return whether what stands in the place of the latest continuation is none that a session of
    this user has left: it came from elsewhere, such as with the repository.
    """
    path = os.path.join(root, continuation_place(root))
    return os.path.lexists(path) and _read_own(path, root) is None


def _read_own(path: str, root: str) -> Continuation | None:
    continuation = read_continuation(path, root)
    is_own = continuation and plan_cache.is_known_session(root, continuation.session)
    return continuation if is_own else None


def read_continuation(path: str, root: str) -> Continuation | None:
    """Read a stored continuation from a file of the tree at ``root``; None where there is no file
    or it names no session.
    """
    if (data := _read_file(path, root)) is None:
        return None
    continuation = parse(data.decode("utf-8", "replace"))
    return continuation if continuation.session else None


def write_continuation(root: str, continuation: Continuation) -> str:
    """Store the continuation as the latest one and return its path from the root. Raises
    StorageError.

    What stood there is kept under its time, so that nothing that a person wrote into it is lost.
    """
    place = continuation_place(root)
    path = os.path.join(root, place)
    folder = os.path.dirname(path)
    session_store.create_private_folder(folder, root)
    with atomic_files.FileLock(path, LOCK_SECONDS, within=root):
        data = mask_secrets(render_continuation(continuation)).encode("utf-8", "replace")
        before = _read_file(path, root)
        if before != data and os.path.exists(path) and not os.path.islink(path):
            # Move it to a file beside it, named by the time at which it was made.
            created_at = parse((before or b"").decode("utf-8", "replace")).created
            is_dated = parse_instant(created_at) is not None
            second = "".join(c if c.isalnum() else "-" for c in created_at[:SECOND_LENGTH])
            stem = os.path.join(os.path.dirname(path), second if is_dated else "undated")
            target = stem + EXTENSION
            if os.path.lexists(target):
                target = session_store.free_name(stem, EXTENSION)
            atomic_files.move_path(path, target, within=root)
        atomic_files.atomic_write(
            path, data, within=root, durable=True, mode=atomic_files.PRIVATE_FILE
        )
    if place == CONTINUATION:
        session_store.ignore_in_git(folder, root)
    return place


def find_unfinished(root: str, agent: str = "") -> Continuation | None:
    """Return the newest stored continuation that somebody should go on with, None for none.

    agent: who is about to: its own work counts, and that of no agent in particular; "" for
    anybody's. Of each session its last word counts.
    """
    sessions = set()
    for continuation in _stored_continuations(root):
        if continuation.session in sessions:
            continue
        sessions.add(continuation.session)
        if continuation.state != FINISHED and (not agent or continuation.agent in ("", agent)):
            return continuation
    return None


def continuation_of_session(root: str, session: str) -> Continuation | None:
    """Return the newest stored continuation that a session has left, None for none."""
    stored = _stored_continuations(root)
    return next((continuation for continuation in stored if continuation.session == session), None)


def _stored_continuations(root: str) -> Iterator[Continuation]:
    """Yield the stored continuations of this user's sessions, the newest first; in a tree of
    Chati.dev those that were written beside it before come last.
    """
    for place in _continuation_places(root):
        folder, own = os.path.split(place)
        earlier = [
            name
            for name in reversed(list_names(root, folder))
            if name.endswith(EXTENSION) and name != own and not name.startswith(".")
        ]
        for name in (own, *earlier[:MAX_EARLIER]):
            if (continuation := _read_own(os.path.join(root, folder, name), root)) is not None:
                yield continuation


def _read_file(path: str, root: str) -> bytes | None:
    try:
        return atomic_files.read_bytes(path, MAX_BYTES, within=root)
    except atomic_files.StorageError:
        return None
