"""This module keeps the list of trusted trees: those that a hook installed for the whole user may
serve.

Such a hook runs wherever the user opens a project, in cloned and unpacked ones too, and a tree
steers an agent. So it serves those trees only that the user has named with ``synapse trust``. The
list is a file in the user's configuration folder that nobody else may write; paths are compared
with links resolved, so that no link can stand in for a trusted folder.
"""

from __future__ import annotations

import os

from synapse_ls.text.fast_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

FILE_NAME: Final = "trusted.json"
MAX_BYTES: Final = 4_000_000  # bytes; far more than anybody has trees
LOCK_SECONDS: Final = 5.0


def config_folder() -> str:
    """Returns the configuration folder of this user, which need not exist."""
    if given := os.environ.get("SYNAPSE_LS_CONFIG"):
        return given
    if os.name == "nt":
        base = os.environ.get("APPDATA") or os.path.expanduser("~\\AppData\\Roaming")
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "synapse-ls")


def trust_file() -> str:
    """Returns the path of the list of trusted trees, which need not exist."""
    return os.path.join(config_folder(), FILE_NAME)


def is_trusted(root: str) -> bool:
    """Returns whether the user trusts the tree with the folder ``root``; no doubt counts as trust."""
    return os.path.realpath(root) in read_trusted()


def read_trusted() -> tuple[str, ...]:
    """Returns the trusted folders, sorted; none where the list cannot be read, or others may write
    it.
    """
    try:
        path = trust_file()
        with open(path, "rb") as stream:
            if not _is_own(os.fstat(stream.fileno())) or not _is_own(os.stat(config_folder())):
                return ()
            found = loads(stream.read(MAX_BYTES).decode())
    except (OSError, ValueError):
        return ()
    roots = found.get("trusted") if isinstance(found, dict) else None
    if not isinstance(roots, list):
        return ()
    return tuple(sorted({root for root in roots if isinstance(root, str)}))


def trust_tree(root: str) -> bool:
    """Trusts the tree in ``root`` from now on; returns whether that is new. Raises StorageError
    where it fails.
    """
    return _change_list(os.path.realpath(root), to=True)


def distrust_tree(root: str) -> bool:
    """Trusts the tree in ``root`` no more; returns whether it was trusted."""
    return _change_list(os.path.realpath(root), to=False)


def _change_list(root: str, *, to: bool) -> bool:
    from synapse_ls.storage.atomic_files import (
        PRIVATE_FILE,
        FileLock,
        StorageError,
        atomic_write,
        storage_error,
    )

    path = trust_file()
    try:
        os.makedirs(config_folder(), mode=0o700, exist_ok=True)
    except OSError as error:
        raise storage_error("create", config_folder(), error) from error
    with FileLock(path, LOCK_SECONDS, keep=False):
        known = read_trusted()
        if (root in known) is to:
            return False
        roots: Iterable[str] = (*known, root) if to else (r for r in known if r != root)
        text = dumps({"version": 1, "trusted": sorted(roots)}) + "\n"
        atomic_write(path, text.encode("utf-8", "replace"), durable=True, mode=PRIVATE_FILE)
        if to and root not in read_trusted():
            raise StorageError(
                f"The list {path} counts for nothing, as others may write there.",
                f"Take their rights away: chmod go-w {config_folder()}",
            )
    return True


def _is_own(status: os.stat_result) -> bool:
    """Returns whether a file is the user's own, and nobody else may write it."""
    if os.name == "nt":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022
