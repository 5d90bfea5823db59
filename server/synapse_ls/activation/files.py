"""Reading what an activation needs from the tree, and remembering what was made of it.

Only regular files of a bounded size are read, and none whose real path leaves the root or, in a
squad, the squad's folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from synapse_ls.activation.loaders import UnavailableError
from synapse_ls.workspace.read import RefusedError, read_file
from synapse_ls.workspace.stamps import Stamp, take

FORMAT = 3  # counted up whenever what is remembered has another shape
KIND = f"activation-{FORMAT}"
"""The name of the memory in the user's cache."""

OTHERS = {"agents": ("chati.dev/agents",), "workflows": ("chati.dev/workflows",)}
"""Folders of other systems that may be in place of, or beside, those of a tree."""

SKIPPED = ("_", ".")  # how the names of templates and of hidden files begin
KEPT = 200  # files that are remembered
_TICK = 20_000_000  # nanoseconds in which two changes may carry one time


class Files:
    """The files of one tree. places: folders by sort, as the plan has them. remembered: what an
    earlier activation has made of files, by path and sort, with the file's stamp.
    """

    def __init__(
        self, root: str, places: dict[str, Sequence[str]], remembered: dict[str, Any]
    ) -> None:
        self.root = root
        self.places = places
        self.remembered = remembered
        self.is_changed = False

    def path(self, path: str) -> str:
        """A path relative to the root as one that the operating system takes."""
        return os.path.join(self.root, *path.split("/"))

    def text(self, path: str) -> str | None:
        """The text of a file, None where there is none; UnavailableError where it is not read."""
        full = self.path(path)
        real = os.path.realpath(full)
        if not any(_holds(base, real) for base in self._bases(path)):
            raise UnavailableError(f"{path} leads out of the workspace and was not read")
        try:
            content = read_file(real)
        except RefusedError as error:
            told = error.message.rstrip(".")
            raise UnavailableError(f"{path}: {told[:1].lower()}{told[1:]}") from error
        return content.decoded.text if content else None

    def made(self, sort: str, path: str, make: Callable[[str], Any]) -> Any:
        """What ``make`` makes of a file's text, of plain values; None where there is no file.

        A file that has not changed since an earlier activation is not read again.
        """
        key = f"{sort}:{path}"
        stamp = take(self.path(path))
        if stamp is None:
            return None
        known = self.remembered.get(key)
        if known is not None and tuple(known[0]) == stamp:
            return known[1]
        text = self.text(path)
        if text is None:
            return None
        value = make(text)
        if not _may_change(stamp):
            self.remembered.pop(key, None)
            self.remembered[key] = (stamp, value)
            self.is_changed = True
        return value

    def kept(self) -> dict[str, Any]:
        """What is to be remembered, the latest files only."""
        return dict(list(self.remembered.items())[-KEPT:])

    def listed(self, sort: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        """The files in the folders of a sort and those below, the root's before the squads'."""
        for folder in (*self.places.get(sort, ()), *OTHERS.get(sort, ())):
            yield from self._in(folder, suffixes)
            for name in self._names(folder):
                if "." not in name and not name.startswith(SKIPPED):
                    yield from self._in(f"{folder}/{name}", suffixes)
        name = self.places.get(sort, ("",))[0].rpartition("/")[2]
        for squad in self.squads():
            yield from self._in(f"{squad}/{name}", suffixes)

    def squads(self) -> Iterator[str]:
        """The folders of squads, by name."""
        for home in self.places.get("squads", ()):
            for name in self._names(home):
                if not name.startswith(SKIPPED):
                    yield f"{home}/{name}"

    def _in(self, folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        for name in self._names(folder):
            if name.endswith(suffixes) and not name.startswith(SKIPPED):
                yield f"{folder}/{name}"

    def _names(self, folder: str) -> list[str]:
        """What is in a folder, but for names that are no text; nothing where there is none."""
        try:
            names = os.listdir(self.path(folder))
        except OSError:
            return []
        return sorted(name for name in names if _is_text(name))

    def _bases(self, path: str) -> Iterator[str]:
        yield os.path.realpath(self.root)
        for home in self.places.get("squads", ()):
            if path.startswith(f"{home}/"):
                folder = path[len(home) + 1 :].partition("/")[0]
                yield os.path.realpath(self.path(f"{home}/{folder}"))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _holds(base: str, real: str) -> bool:
    return real == base or real.startswith(base.rstrip(os.sep) + os.sep)


def _may_change(stamp: Stamp) -> bool:
    """Whether a file is so new that a second change could carry the same time."""
    return stamp[0] >= time.time_ns() - _TICK
