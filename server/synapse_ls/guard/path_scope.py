"""This module finds the scope of a path that a command or tool names (below the root, below the
home folder, outside), and compares it with globs, as far as that can be told without looking at the
disk.
"""

from __future__ import annotations

from synapse_ls.engine.path_globs import first_matching_path, relative_path
from synapse_ls.guard.agent_action import DELETE, WRITE
from synapse_ls.guard.boundaries import MAYBE, NO, YES
from synapse_ls.guard.shell_lexer import OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

ANY_USE: Final = "may"  # what is done with a file: whatever can be
HOME: Final = "~/"
ANY_DEPTH: Final = "**/"
_WORKING_FOLDER: Final = "/proc/self/cwd/"


class ScopedPath:
    """A ScopedPath is a path of a command or a tool with its scope: below the root, below the
    person's home folder, on the disk.
    """

    __slots__ = (
        "_below_home",
        "_below_root",
        "_end",
        "_is_folder",
        "_is_known",
        "_is_open",
        "_on_disk",
    )

    def __init__(self, path: str, folder: str, root: str, home: str) -> None:
        path = path.removeprefix(_WORKING_FOLDER)
        known, opened, _ = path.partition(OPEN)
        self._is_open = bool(opened)
        self._end = path.rpartition(OPEN)[2]
        self._is_folder = known.endswith("/")  # what nobody knows is in it
        if known.startswith(HOME):
            known = f"{home}/{known[2:]}" if home else _resolve_home_path(known, root)
        is_absolute = _is_absolute_path(known)
        self._is_known = bool(known) and (is_absolute or OPEN not in folder)
        self._below_root: str | None = None
        self._below_home: str | None = None
        self._on_disk: str | None = None
        if not self._is_known:
            return
        if known.startswith(HOME):
            self._below_home = known[2:]
        elif known[:1] != "~":
            base = folder if _is_absolute_path(folder) else f"{root}/{folder}".rstrip("/")
            spelled = known if is_absolute else f"{base}/{known}"
            self._below_root = _relative_to(spelled, root, self._is_open)
            self._below_home = _relative_to(spelled, home, self._is_open) if home else None
            self._on_disk = _relative_to(spelled, _disk_root(spelled), self._is_open)

    @staticmethod
    def _unknown_certainty(verb: str) -> int:
        """Returns how surely a file that nobody knows is one that matters."""
        # Asking about each that is read would never end.
        return MAYBE if verb in (WRITE, DELETE) else NO

    def match_outside(self, inside: Sequence[str], verb: str) -> int:
        """Returns how surely this is a file of the project that none of ``inside`` names.

        What a program may do with a word that it is given counts for nothing: most words are no
        files.
        """
        if verb == ANY_USE:
            return NO
        if not self._is_known:
            return self._unknown_certainty(verb)
        below = self._below_root
        if below is None:
            return NO
        if self._is_open:
            folders = tuple(glob.partition("*")[0] for glob in inside if glob[:1] != "*")
            known = f"{below}/" if self._is_folder else below
            return NO if folders and known.startswith(folders) else self._unknown_certainty(verb)
        return NO if first_matching_path(inside, (below,)) else YES

    def match_glob(self, glob: str, verb: str) -> int:
        """Returns how surely this is what ``glob`` names, for what is done with it."""
        if not self._is_known:
            if self._end.startswith("/") and first_matching_path((glob,), (self._end[1:],)):
                return MAYBE  # wherever it is: it ends as what is meant does
            return self._unknown_certainty(verb)
        below, glob = self._place_for(glob)
        if below is None:
            return NO
        if glob.startswith(ANY_DEPTH):
            return self._match_anywhere(below, glob, verb)
        fixed = glob.partition("*")[0].rstrip("/")
        if self._is_open:
            return MAYBE if below.startswith(fixed) or fixed.startswith(below) else NO
        if first_matching_path((glob,), (below,)):
            return MAYBE if verb == ANY_USE else YES
        # A folder that is deleted or moved takes with it what is inside.
        above = not below or f"{fixed}/".startswith(f"{below}/")
        return MAYBE if above and verb == DELETE else NO

    def _place_for(self, glob: str) -> tuple[str | None, str]:
        """Returns the path and the glob, relative to where the glob begins."""
        if glob.startswith(HOME):
            return self._below_home, glob.removeprefix(HOME)
        if _is_absolute_path(glob):
            return self._on_disk, glob.removeprefix(_disk_root(glob)).lstrip("/")
        return self._below_root, glob

    def _match_anywhere(self, below: str, glob: str, verb: str) -> int:
        """Returns how surely this is what ``**/…`` names, in whatever folder; a folder that is
        deleted counts from the first one on that the glob names.
        """
        if not self._is_open and first_matching_path((glob,), (below,)):
            return MAYBE if verb == ANY_USE else YES
        if not self._is_open and verb != DELETE:
            return NO
        fixed = glob.removeprefix(ANY_DEPTH).partition("*")[0].rstrip("/")
        end = "" if self._is_open and not self._is_folder else "/"
        folders = below.split("/")
        for at in range(len(folders)):
            rest = "/".join(folders[at:]) + end
            if rest and (
                f"{fixed}/".startswith(rest) or (self._is_open and rest.startswith(fixed))
            ):
                return MAYBE
        return NO


def _is_absolute_path(path: str) -> bool:
    return path.startswith(("/", "~", "\\\\")) or path[1:2] == ":"


def _disk_root(path: str) -> str:
    return path[:2] if path[1:2] == ":" else "/"


def _relative_to(spelled: str, base: str, opened: bool) -> str | None:
    """Returns the path relative to ``base``, "" for the base itself; None outside of it."""
    if inside := relative_path(f"{spelled}/x", base):
        return inside[:-1].rstrip("/")
    return "" if opened and base.startswith(spelled) else None


def _resolve_home_path(path: str, root: str) -> str:
    """Returns a path below a home folder nobody knows, as that of a file in ``root`` where it may
    be one.
    """
    parts = path[2:].split("/")
    for count in range(len(parts), 0, -1):
        if root.endswith(f"/{'/'.join(parts[:count])}"):
            return "/".join((root, *parts[count:]))
    return path
