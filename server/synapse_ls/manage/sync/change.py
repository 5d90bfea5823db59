"""What synchronisation does to one file, or why it leaves it alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from synapse_ls.formats.managed import MEND
from synapse_ls.manage.apply import unified
from synapse_ls.manage.difference import CHANGE, CREATE, NONE, REMOVE, action_of

EDITED, FOREIGN, BROKEN, REFUSED = "edited", "foreign", "broken", "refused"


@dataclass(frozen=True, slots=True)
class Change:
    """One file.

    ``before`` and ``after`` are its bytes, None where it does not exist; ``real`` is where they are.
    ``trouble`` is one of `EDITED` (somebody changed what is ours), `FOREIGN` (somebody else's file is
    in the place), `BROKEN` (the marks) and `REFUSED`, or "": with it, nothing is written. ``why`` is a
    clause about it. ``line`` is where the first difference is, counted from 1.
    """

    path: str
    target: str
    real: Path
    before: bytes | None
    after: bytes | None
    line: int = 1
    trouble: str = ""
    why: str = ""

    @property
    def action(self) -> str:
        """One of create, change, remove and none."""
        return action_of(self.before, self.after)

    @property
    def is_drift(self) -> bool:
        """Whether the file is not as the tree wants it."""
        return bool(self.trouble) or self.action != NONE

    @property
    def remedy(self) -> str:
        """What to do about the trouble."""
        return _REMEDIES.get(self.trouble, "")

    @property
    def said(self) -> str:
        """What is to be said about the file, as a clause of which it is the subject."""
        if self.trouble:
            return f"is left alone: {self.why}"
        return {
            CREATE: "is missing",
            CHANGE: "does not say what the rules say now",
            REMOVE: "has nothing to say any more",
            NONE: "is up to date",
        }[self.action]

    @property
    def diff(self) -> str:
        """The change as a unified diff, "" for none."""
        if self.action == NONE:
            return ""
        old, new = (_text(side) for side in (self.before, self.after))
        before = "/dev/null" if self.before is None else f"a/{self.path}"
        return unified(old, new, before, "/dev/null" if self.after is None else f"b/{self.path}")


_REMEDIES = {
    EDITED: "Take the edit into the tree, or give it up with --force.",
    FOREIGN: "Move it away, or leave the target out.",
    BROKEN: MEND,
    REFUSED: "Put a file in its place, or leave the target out.",
}


def _text(data: bytes | None) -> str:
    return (data or b"").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
