"""Where a path leads, as far as that can be told without looking at the disk."""

from __future__ import annotations

from synapse_ls.engine.globs import any_match, relative
from synapse_ls.guard.lexer import OPEN
from synapse_ls.guard.pattern import MAYBE, NO, YES
from synapse_ls.guard.use import DELETE, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

MAY: Final = "may"  # what is done with a file: whatever can be
HOME: Final = "~/"


class Place:
    """A path of a command or a tool, below the root and below the person's home folder."""

    __slots__ = ("_below_home", "_below_root", "_is_folder", "_is_known", "_opened")

    def __init__(self, path: str, folder: str, root: str, home: str) -> None:
        known, opened, _ = path.partition(OPEN)
        self._opened = bool(opened)
        self._is_folder = known.endswith("/")  # what nobody knows is in it
        if known.startswith(HOME):
            known = f"{home}/{known[2:]}" if home else _in_root(known, root)
        is_absolute = _is_absolute(known)
        self._is_known = bool(known) and (is_absolute or OPEN not in folder)
        self._below_root: str | None = None
        self._below_home: str | None = None
        if not self._is_known:
            return
        if known.startswith(HOME):
            self._below_home = known[2:]
        elif known[:1] != "~":
            base = folder if _is_absolute(folder) else f"{root}/{folder}".rstrip("/")
            spelled = known if is_absolute else f"{base}/{known}"
            self._below_root = _below(spelled, root, self._opened)
            self._below_home = _below(spelled, home, self._opened) if home else None

    @staticmethod
    def _unknown(verb: str) -> int:
        """How surely a file that nobody knows is one that matters."""
        # Asking about each that is read would never end.
        return MAYBE if verb in (WRITE, DELETE) else NO

    def leaves(self, inside: Sequence[str], verb: str) -> int:
        """How surely this is a file of the project that none of ``inside`` names.

        What a program may do with a word that it is given counts for nothing: most words are no files.
        """
        if verb == MAY:
            return NO
        if not self._is_known:
            return self._unknown(verb)
        below = self._below_root
        if below is None:
            return NO
        if self._opened:
            folders = tuple(glob.partition("*")[0] for glob in inside if glob[:1] != "*")
            known = f"{below}/" if self._is_folder else below
            return NO if folders and known.startswith(folders) else self._unknown(verb)
        return NO if any_match(inside, (below,)) else YES

    def hits(self, glob: str, verb: str) -> int:
        """How surely this is what ``glob`` names, for what is done with it."""
        if not self._is_known:
            return self._unknown(verb)
        below = self._below_home if glob.startswith(HOME) else self._below_root
        if below is None:
            return NO
        glob = glob.removeprefix(HOME)
        fixed = glob.partition("*")[0].rstrip("/")
        if self._opened:
            return MAYBE if below.startswith(fixed) or fixed.startswith(below) else NO
        if any_match((glob,), (below,)):
            return MAYBE if verb == MAY else YES
        # A folder that is deleted or moved takes with it what is inside.
        above = not below or f"{fixed}/".startswith(f"{below}/")
        return MAYBE if above and verb == DELETE else NO


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~", "\\\\")) or path[1:2] == ":"


def _below(spelled: str, base: str, opened: bool) -> str | None:
    """The path relative to ``base``, "" for the base itself; None outside of it."""
    if inside := relative(f"{spelled}/x", base):
        return inside[:-1].rstrip("/")
    return "" if opened and base.startswith(spelled) else None


def _in_root(path: str, root: str) -> str:
    """A path below a home folder nobody knows, as that of a file in ``root`` where it may be one."""
    parts = path[2:].split("/")
    for count in range(len(parts), 0, -1):
        if root.endswith(f"/{'/'.join(parts[:count])}"):
            return "/".join((root, *parts[count:]))
    return path
