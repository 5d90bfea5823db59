"""Blocks as files in the user's cache folder, for editors that can show nothing but files."""

from __future__ import annotations

import os
import re

from synapse_ls.engine.hashing import text_hash
from synapse_ls.service import cache
from synapse_ls.sessions.files import PRIVATE_FILE, SessionError, atomic_write

_UNSAFE = re.compile(r"[^\w@.-]+")
_LONGEST = 80  # characters of a file's name


def write(root: str, name: str, block: str) -> str:
    """Write a block of the tree in ``root``; its path, "" where there is no folder to be trusted."""
    safe = _UNSAFE.sub("-", name).strip("-.")[:_LONGEST] or "block"
    try:
        base = cache.prepared()
        if not base:
            return ""
        folder = os.path.join(base, "previews", text_hash(root))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, f"{safe}.txt")
        atomic_write(path, f"{block}\n".encode() if block else b"", mode=PRIVATE_FILE)
    except (OSError, SessionError):
        return ""
    return path
