"""This module keeps the list of trusted trees: those that a hook installed for the whole user may
serve.

Such a hook runs wherever the user opens a project, in cloned and unpacked ones too, and a tree
steers an agent. So it serves those trees only that the user has named with ``synapse trust``. The
list is a file in the user's configuration folder that nobody else may write; paths are compared
with links resolved, so that no link can stand in for a trusted folder.
"""

from __future__ import annotations

import os

from synapse_ls.text.fast_json import dumps
from synapse_ls.workspace.trusted_places import read_trusted
from synapse_ls.workspace.user_folders import config_folder, trust_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

LOCK_SECONDS: Final = 5.0


def is_trusted(root: str) -> bool:
    """Returns whether the user trusts the tree with the folder ``root``; no doubt counts as trust."""
    return os.path.realpath(root) in read_trusted()


def trust_tree(root: str) -> bool:
    """Puts the tree in ``root`` on the list of trusted ones; returns whether that is new. Raises
    StorageError where it fails.
    """
    return _change_list(os.path.realpath(root), to=True)


def distrust_tree(root: str) -> bool:
    """Takes the tree in ``root`` off the list of trusted ones; returns whether it was on it."""
    return _change_list(os.path.realpath(root), to=False)


def _change_list(root: str, *, to: bool) -> bool:
    from synapse_ls.storage.atomic_files import (
        ANYWHERE,
        PRIVATE_FILE,
        PRIVATE_FOLDER,
        FileLock,
        StorageError,
        atomic_write,
        make_folders,
    )

    path = trust_file()
    make_folders(config_folder(), within=ANYWHERE, mode=PRIVATE_FOLDER)
    with FileLock(path, LOCK_SECONDS, within=ANYWHERE, keep=False):
        known = read_trusted()
        if (root in known) is to:
            return False
        roots: Iterable[str] = (*known, root) if to else (r for r in known if r != root)
        text = dumps({"version": 1, "trusted": sorted(roots)}) + "\n"
        data = text.encode("utf-8", "replace")
        atomic_write(path, data, within=ANYWHERE, durable=True, mode=PRIVATE_FILE)
        if to and root not in read_trusted():
            raise StorageError(
                f"The list {path} counts for nothing, as others may write there.",
                f"Take their rights away: chmod go-w {config_folder()}",
            )
    return True
