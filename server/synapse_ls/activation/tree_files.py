"""This module reads the files that an activation needs from the tree, and remembers what was made
of them.

Only regular files of a bounded size are read, and none whose real path leaves the root or, in a
squad, the squad's folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from synapse_ls.activation.activation_loaders import UnavailableError
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.file_stamps import Stamp, take_stamp
from synapse_ls.workspace.regular_files import is_possible
from synapse_ls.workspace.trusted_places import find_outside_link

MEMO_FORMAT = 3  # counted up whenever what is remembered has another shape
MEMO_KIND = f"activation-{MEMO_FORMAT}"
"""The name of the memory in the user's cache."""

OTHER_FOLDERS = {"agents": ("chati.dev/agents",), "workflows": ("chati.dev/workflows",)}
"""Folders of other systems that may be in place of, or beside, those of a tree."""

SKIPPED_PREFIXES = ("_", ".")  # how the names of templates and of hidden files begin
MOST_REMEMBERED = 200  # files that are remembered
_CLOCK_TICK = 20_000_000  # nanoseconds in which two changes may carry one time


class TreeFiles:
    """TreeFiles are the files of one tree. places: folders by sort, as the plan has them. memo:
    what an earlier activation has made of files, by path and sort, with the file's stamp.
    """

    def __init__(self, root: str, places: dict[str, Sequence[str]], memo: dict[str, Any]) -> None:
        self.root = root
        self.places = places
        self.memo = memo
        self.is_changed = False

    def full_path(self, path: str) -> str:
        """Returns a path relative to the root as one that the operating system takes."""
        return os.path.join(self.root, *path.split("/"))

    def read_text(self, path: str) -> str | None:
        """Returns the text of a file, None where there is none; UnavailableError where it is not
        read.
        """
        if not is_possible(path):  # a value of a file may name it
            return None
        full = self.full_path(path)
        real = os.path.realpath(full)
        if not any(_is_inside(base, real) for base in self._allowed_folders(path)):
            raise UnavailableError(f"{path} leads out of the workspace and was not read")
        try:
            content = read_file(real)
        except RefusedError as error:
            told = error.message.rstrip(".")
            raise UnavailableError(f"{path}: {told[:1].lower()}{told[1:]}") from error
        return content.decoded.text if content else None

    def parse_file(self, sort: str, path: str, parse_text: Callable[[str], Any]) -> Any:
        """Returns what ``parse_text`` makes of a file's text, of plain values; None where there
        is no file.

        A file that has not changed since an earlier activation is not read again.
        """
        key = f"{sort}:{path}"
        stamp = take_stamp(self.full_path(path))
        if stamp is None:
            return None
        known = self.memo.get(key)
        if known is not None and tuple(known[0]) == stamp:
            return known[1]
        text = self.read_text(path)
        if text is None:
            return None
        value = parse_text(text)
        if not _may_change(stamp):
            self.memo.pop(key, None)
            self.memo[key] = (stamp, value)
            self.is_changed = True
        return value

    def newest_memo(self) -> dict[str, Any]:
        """Returns what is to be remembered, the latest files only."""
        return dict(list(self.memo.items())[-MOST_REMEMBERED:])

    def iter_files(self, sort: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        """Yields the files in the folders of a sort and those below, the root's before the squads'."""
        for folder in (*self.places.get(sort, ()), *OTHER_FOLDERS.get(sort, ())):
            yield from self._files_in(folder, suffixes)
            for name in self._names_in(folder):
                if "." not in name and not name.startswith(SKIPPED_PREFIXES):
                    yield from self._files_in(f"{folder}/{name}", suffixes)
        name = self.places.get(sort, ("",))[0].rpartition("/")[2]
        for squad in self.iter_squads():
            yield from self._files_in(f"{squad}/{name}", suffixes)

    def iter_squads(self) -> Iterator[str]:
        """Yields the folders of squads, by name."""
        for home in self.places.get("squads", ()):
            for name in self._names_in(home):
                if not name.startswith(SKIPPED_PREFIXES):
                    yield f"{home}/{name}"

    def _files_in(self, folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        for name in self._names_in(folder):
            if name.endswith(suffixes) and not name.startswith(SKIPPED_PREFIXES):
                yield f"{folder}/{name}"

    def _names_in(self, folder: str) -> list[str]:
        """Returns what is in a folder, but for names that are no text; nothing where there is none."""
        try:
            names = os.listdir(self.full_path(folder))
        except OSError:
            return []
        return sorted(name for name in names if _is_encodable(name))

    def _allowed_folders(self, path: str) -> Iterator[str]:
        yield os.path.realpath(self.root)
        for home in self.places.get("squads", ()):
            if path.startswith(f"{home}/"):
                folder = f"{home}/{path[len(home) + 1 :].partition('/')[0]}"
                if not find_outside_link(self.root, folder):
                    yield os.path.realpath(self.full_path(folder))


def _is_encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_inside(base: str, real: str) -> bool:
    return real == base or real.startswith(base.rstrip(os.sep) + os.sep)


def _may_change(stamp: Stamp) -> bool:
    """Tells whether a file is so new that a second change could carry the same time."""
    return stamp[0] >= time.time_ns() - _CLOCK_TICK
