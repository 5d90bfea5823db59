"""Write blocks as preview files into the user's cache folder, for editors that can show nothing but
files.
"""

from __future__ import annotations

import os
import re

from synapse_ls.storage import plan_cache
from synapse_ls.storage.atomic_files import ANYWHERE, PRIVATE_FILE, StorageError, atomic_write
from synapse_ls.text.digest import hash_text

_UNSAFE_CHARACTERS = re.compile(r"[^\w@.-]+")
_MAX_NAME = 80  # characters of a file's name


def write_preview(root: str, name: str, block: str) -> str:
    """Write a block of the tree in ``root``; return its path, "" where there is no folder to be
    trusted.
    """
    safe = _UNSAFE_CHARACTERS.sub("-", name).strip("-.")[:_MAX_NAME] or "block"
    try:
        base = plan_cache.prepare_cache_folder()
        if not base:
            return ""
        folder = os.path.join(base, "previews", hash_text(root))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, f"{safe}.txt")
        atomic_write(
            path, f"{block}\n".encode() if block else b"", within=ANYWHERE, mode=PRIVATE_FILE
        )
    except (OSError, StorageError):
        return ""
    return path
