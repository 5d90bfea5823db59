"""This module knows which folders of a tree are about one person's work, and tells without running git
whether git has files of them, or would take some: the list of what git tracks and its ignore files
are read, nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.file_scanner import LoadNote
from synapse_ls.workspace.tracked_files import (
    TrackedFiles,
    find_repository,
    git_folder,
    path_in_repository,
    read_quietly,
)
from synapse_ls.workspace.tree_folders import METRICS, PRIVATE_FOLDERS
from synapse_ls.workspace.trusted_places import find_outside_link
from synapse_ls.workspace.user_folders import absolute_path

NOTE_KIND = "private-in-git"
GITIGNORE = ".gitignore"
_PLACEHOLDERS = (".gitkeep", ".keep", GITIGNORE)
"""Files that keep an empty folder in a repository, or other files out of it."""

_MOST_FILES = 1_000  # files of a folder that are looked at
_MOST_IGNORE_BYTES = 1_000_000  # bytes of an ignore file that are read


class ExposedFolder(NamedTuple):
    """An ExposedFolder is a private folder of which git has ``tracked`` files, or would take
    ``waiting`` ones; ``has_ignore`` is whether it has an ignore file of its own.
    """

    folder: str
    tracked: tuple[str, ...]
    waiting: tuple[str, ...]
    has_ignore: bool

    @property
    def first(self) -> str:
        """Returns the path of the first file."""
        return (*self.tracked, *self.waiting)[0]

    def describe(self) -> str:
        """Returns what is wrong, a sentence without its full stop."""
        count = format_count(len(self.tracked or self.waiting), "file")
        held = _describe_folder(self.folder)
        return f"git has {count} of {held}" if self.tracked else f"git would take {count} of {held}"

    def remedy(self) -> str:
        """Returns what to do, a sentence."""
        ignore = f"{self.folder}/{GITIGNORE}"
        if self.tracked and self.has_ignore:
            return f"Run `git rm -r --cached {self.folder}`, and see that {ignore} says `*`; the files stay."
        if self.tracked:
            return (
                f"Run `git rm -r --cached {self.folder}`, and create {ignore} with the line `*`; the files "
                "stay."
            )
        return (
            f"Write `*` into {ignore}."
            if self.has_ignore
            else f"Create {ignore} with the line `*`."
        )


def _describe_folder(folder: str) -> str:
    """Returns a folder with the reason why git should not have it."""
    if folder == METRICS:
        return f"{folder}/, which is written anew as people work, on every machine"
    return f"{folder}/, which holds words of a person's prompts"


def private_file_notes(root: str) -> Iterator[LoadNote]:
    """Yields one note about a tree whose private folders git has, or would take: about the first."""
    found = list(exposed_folders(root))
    if found:
        said = found[0].describe()
        message = f"{said[:1].upper()}{said[1:]}."
        if found[1:]:
            others = ", ".join(one.folder for one in found[1:])
            message = f"{message} Files of {others} are there, too."
        yield LoadNote(
            found[0].first,
            "private-in-git",
            message,
            found[0].remedy(),
        )


def exposed_folders(root: str) -> Iterator[ExposedFolder]:
    """Yields the private folders of which git has files or would take some; none outside of a
    repository. What it tracks is not told where its list has another format than the usual one.
    """
    present = [
        (folder, files) for folder in PRIVATE_FOLDERS if (files := list(_files_of(root, folder)))
    ]
    top = find_repository(os.path.realpath(root)) if present else ""
    if not top:
        return
    known = TrackedFiles(top)
    ignores = _Ignores(top)
    for folder, files in present:
        places = [(file, path_in_repository(root, top, file)) for file in files]
        tracked = tuple(file for file, place in places if known.holds(place))
        waiting = tuple(
            file for file, place in places if file not in tracked and not ignores.match(place)
        )
        if tracked or waiting:
            has_ignore = os.path.isfile(os.path.join(root, folder, GITIGNORE))
            yield ExposedFolder(folder, tracked, waiting, has_ignore)


def _files_of(root: str, folder: str) -> Iterator[str]:
    """Yields the files in a folder and below, but for what tells git to leave them."""
    if find_outside_link(root, folder):
        return
    left = _MOST_FILES
    for at, folders, names in os.walk(f"{root}/{folder}"):
        folders.sort()
        for name in sorted(names):
            if not is_placeholder_file(name) and not name.endswith(".lock"):
                yield os.path.relpath(os.path.join(at, name), root).replace(os.sep, "/")
                left -= 1
                if not left:
                    return


def is_placeholder_file(path: str) -> bool:
    """Returns whether a file says nothing, and is there for git alone."""
    return path.rpartition("/")[2] in _PLACEHOLDERS


class _Ignores:
    """_Ignores are the ignore files of a repository: its own, those of its folders, and the
    user's.
    """

    def __init__(self, top: str) -> None:
        self._top = top
        base = absolute_path("XDG_CONFIG_HOME", "~/.config")
        info = os.path.join(git_folder(top), "info", "exclude")
        self._shared = (*_patterns(os.path.join(base, "git", "ignore")), *_patterns(info))

    def match(self, path: str) -> bool:
        """Returns whether git leaves a path, relative to the top, out: it or a folder above it."""
        parts = path.split("/")
        return any(
            self._is_left("/".join(parts[:n]), n < len(parts)) for n in range(1, len(parts) + 1)
        )

    def _is_left(self, path: str, is_folder: bool) -> bool:
        """Returns what the last pattern says that is about a path."""
        left = _any_match(self._shared, path, is_folder, False)
        parts = path.split("/")
        for depth in range(len(parts)):
            folder = "/".join(parts[:depth])
            own = _patterns(os.path.join(self._top, folder, GITIGNORE))
            left = _any_match(own, "/".join(parts[depth:]), is_folder, left)
        return left


class _Pattern(NamedTuple):
    matches: re.Pattern[str]
    is_negated: bool
    wants_folder: bool


def _any_match(patterns: Iterable[_Pattern], path: str, is_folder: bool, left: bool) -> bool:
    """Returns what patterns make of a path; ``left``: what was made of it before."""
    for pattern in patterns:
        if (is_folder or not pattern.wants_folder) and pattern.matches.fullmatch(path):
            left = not pattern.is_negated
    return left


def _patterns(path: str) -> tuple[_Pattern, ...]:
    lines = read_quietly(path, _MOST_IGNORE_BYTES).decode("utf-8", "replace").splitlines()
    return tuple(filter(None, map(_parse_pattern, lines)))


@lru_cache(maxsize=1_024)
def _parse_pattern(line: str) -> _Pattern | None:
    """Returns the pattern of a line of an ignore file (gitignore(5)); None for none."""
    text = line.rstrip()
    is_negated = text.startswith("!")
    text = text.removeprefix("!")
    if not text or text.startswith("#") or len(text) > 1_000 or text.count("*") > 20:
        return None
    wants_folder = text.endswith("/")
    text = text.rstrip("/")
    anywhere = "" if "/" in text else "(?:.*/)?"
    return _Pattern(re.compile(anywhere + _to_regex(text.lstrip("/"))), is_negated, wants_folder)


_PIECES = (
    (re.compile(r"\*\*/"), "(?:.*/)?"),
    (re.compile(r"/\*\*\Z"), "/.*"),
    (re.compile(r"\*+"), "[^/]*"),
    (re.compile(r"\?"), "[^/]"),
    (re.compile(r"\[!?[^]/]+\]"), ""),
    (re.compile(r"\\(.)"), ""),
)


def _to_regex(glob: str) -> str:
    made, at = [], 0
    while at < len(glob):
        for piece, meaning in _PIECES:
            if found := piece.match(glob, at):
                made.append(meaning or _literal(found[0]))
                at = found.end()
                break
        else:
            made.append(re.escape(glob[at]))
            at += 1
    return "".join(made)


def _literal(text: str) -> str:
    """Returns the regular expression of a set of characters, or of an escaped one."""
    if text.startswith("\\"):
        return re.escape(text[1:])
    inner = text[1:-1]
    sign = "^" if inner.startswith("!") else ""
    return f"[{sign}{re.escape(inner.removeprefix('!')).replace(chr(92) + '-', '-')}]"
