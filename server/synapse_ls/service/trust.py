"""The trees that a hook installed for the whole user may serve.

Such a hook runs wherever the user opens a project, in cloned and unpacked ones too, and a tree
steers an agent. So it serves those trees only that the user has named with ``synapse trust``. The
list is a file in the user's configuration folder that nobody else may write; paths are compared with
links resolved, so that no link can stand in for a trusted folder.
"""

from __future__ import annotations

import os

from synapse_ls.text.json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

NAME: Final = "trusted.json"
LIMIT: Final = 4_000_000  # bytes; far more than anybody has trees
LOCK_SECONDS: Final = 5.0


def folder() -> str:
    """The configuration folder of this user, which need not exist."""
    if given := os.environ.get("SYNAPSE_LS_CONFIG"):
        return given
    if os.name == "nt":
        base = os.environ.get("APPDATA") or os.path.expanduser("~\\AppData\\Roaming")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "synapse-ls")


def file() -> str:
    """The list of trusted trees, which need not exist."""
    return os.path.join(folder(), NAME)


def is_trusted(root: str) -> bool:
    """Whether the user trusts the tree with the folder ``root``; no doubt counts as trust."""
    return os.path.realpath(root) in trusted()


def trusted() -> tuple[str, ...]:
    """The trusted folders, sorted; none where the list cannot be read, or others may write it."""
    try:
        path = file()
        with open(path, "rb") as stream:
            if not _own(os.fstat(stream.fileno())) or not _own(os.stat(folder())):
                return ()
            found = loads(stream.read(LIMIT).decode())
    except (OSError, ValueError):
        return ()
    roots = found.get("trusted") if isinstance(found, dict) else None
    if not isinstance(roots, list):
        return ()
    return tuple(sorted({root for root in roots if isinstance(root, str)}))


def trust(root: str) -> bool:
    """Trust the tree in ``root`` from now on; whether that is new. SessionError where it fails."""
    return _change(os.path.realpath(root), to=True)


def distrust(root: str) -> bool:
    """Trust it no more; whether it was trusted."""
    return _change(os.path.realpath(root), to=False)


def _change(root: str, *, to: bool) -> bool:
    from synapse_ls.sessions.files import PRIVATE_FILE, Lock, SessionError, atomic_write, failure

    path = file()
    try:
        os.makedirs(folder(), mode=0o700, exist_ok=True)
    except OSError as error:
        raise failure("create", folder(), error) from error
    with Lock(path, LOCK_SECONDS, keep=False):
        known = trusted()
        if (root in known) is to:
            return False
        roots: Iterable[str] = (*known, root) if to else (r for r in known if r != root)
        text = dumps({"version": 1, "trusted": sorted(roots)}) + "\n"
        atomic_write(path, text.encode("utf-8", "replace"), durable=True, mode=PRIVATE_FILE)
        if to and root not in trusted():
            raise SessionError(
                f"The list {path} counts for nothing, as others may write there.",
                f"Take their rights away: chmod go-w {folder()}",
            )
    return True


def _own(status: os.stat_result) -> bool:
    """Whether a file is the user's own, and nobody else may write it."""
    if os.name == "nt":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022
