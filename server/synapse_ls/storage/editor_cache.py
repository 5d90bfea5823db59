"""Files in the user's cache for editors: previews of blocks, and each rule's last audit.

Previews are for editors that can show only files.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from synapse_ls.storage import plan_cache
from synapse_ls.storage.atomic_files import ANYWHERE, PRIVATE_FILE, StorageError, atomic_write
from synapse_ls.text.digest import hash_text
from synapse_ls.text.lazy_pattern import lazy_pattern

MEMO_KIND: Final = "audited"


class RuleHistory(NamedTuple):
    """How often a rule applied and was broken in the sessions of the last audit.

    last: when it was broken last, as ISO 8601, "" where nobody knows.
    """

    applied: int
    broken: int
    last: str = ""

    @property
    def sentence(self) -> str:
        """The history in words: "applied 14 times, broken twice, last on 2026-03-02"."""
        if not self.broken:
            return f"applied {_count_times(self.applied)}, never broken"
        last = f", last on {self.last[:10]}" if self.last else ""
        return f"applied {_count_times(self.applied)}, broken {_count_times(self.broken)}{last}"


def write_histories(root: str, rows: Iterable[tuple[str, str, RuleHistory]]) -> None:
    """Keep the histories of a tree's rules: ``(file, key, history)`` of each."""
    values = {f"{file}\t{key}": tuple(history) for file, key, history in rows if history.applied}
    plan_cache.write_memo(root, MEMO_KIND, values)


def read_histories(root: str) -> Mapping[tuple[str, str], RuleHistory]:
    """Return what the last audit said, ``(file, key)`` -> history; {} where there was none."""
    histories: dict[tuple[str, str], RuleHistory] = {}
    for name, history in plan_cache.read_memo(root, MEMO_KIND).items():
        file, _, key = name.partition("\t")
        histories[file, key] = RuleHistory(*history)
    return histories


def _count_times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


_UNSAFE_CHARACTERS = lazy_pattern(r"[^\w@.-]+")
_MAX_NAME = 80  # characters of a file's name


def write_preview(root: str, name: str, block: str) -> str:
    """Write a block of the tree in ``root``; return its path, "" where there is no folder to be
    trusted.
    """
    safe = _UNSAFE_CHARACTERS.sub("-", name).strip("-.")[:_MAX_NAME] or "block"
    try:
        if not (base := plan_cache.prepare_cache_folder()):
            return ""
        folder = os.path.join(base, "previews", hash_text(root))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, f"{safe}.txt")
        data = f"{block}\n".encode() if block else b""
        atomic_write(path, data, within=ANYWHERE, mode=PRIVATE_FILE, follow=False)
    except (OSError, StorageError):
        return ""
    return path
