"""This module defines what a migration does to one file, as bytes: planned first, shown or
carried out later.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from synapse_ls.setup.file_action import NONE, file_action
from synapse_ls.text.unified_diff import text_diff

TREE, SESSIONS, KEPT, HOOK, GUIDE, TEXT, REMOVED = (
    "tree",
    "sessions",
    "kept",
    "hook",
    "guide",
    "text",
    "removed",
)
"""Parts of a migration: rules, sessions, what has no counterpart and is kept to be read, settings of
clients, the managed block of ``CLAUDE.md``, mentions in texts, and what goes in the end."""


_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class MigrationChange:
    """A MigrationChange is the change of one file by a migration.

    ``path`` is the file as people know it: relative to the root, or with ``~``. ``before`` and
    ``after`` are its bytes, None where it does not exist. ``why`` is a clause for people.
    ``private``: nobody else may read what is created.
    """

    part: str
    path: str
    file: Path
    before: bytes | None
    after: bytes | None
    why: str = ""
    private: bool = False

    @property
    def action(self) -> str:
        """Returns one of create, change, remove and none."""
        return file_action(self.before, self.after)

    @property
    def diff(self) -> str:
        """Returns the change as a unified diff, "" where there is none."""
        if self.action == NONE:
            return ""
        old = "/dev/null" if self.before is None else f"a/{self.path}"
        new = "/dev/null" if self.after is None else f"b/{self.path}"
        return text_diff(file_text(self.before), file_text(self.after), old, new)


def file_text(data: bytes | None) -> str:
    """Returns the text of a file that a migration changes, for people; "" where it does not exist."""
    return (data or b"").removeprefix(_BOM).decode("utf-8", "replace")
