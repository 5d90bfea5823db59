"""This module defines a target of `synapse sync`: the instruction files that a client reads
rules from.

A target is a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.integrations.glob_dialects import GlobDialect, TranslatedGlobs
from synapse_ls.text.line_index import LineIndex


class SizeLimit(NamedTuple):
    """A SizeLimit says how much of an instruction file the client that reads it takes. ``unit``:
    "bytes", "characters" or "lines".
    """

    amount: int
    unit: str
    effect: str

    def describe_excess(self, text: str) -> str:
        """Returns what is to be said of a file with ``text``, "" where it is small enough."""
        size = {
            "bytes": len(text.encode("utf-8", "surrogateescape")),
            "characters": len(text),
            "lines": LineIndex(text).line_count - text.endswith(("\n", "\r")),
        }[self.unit]
        if size <= self.amount:
            return ""
        return f"it has {size:,} {self.unit} of {self.amount:,}: {self.effect}"


FrontMatter = Callable[[str, tuple[str, ...]], str]


@dataclass(frozen=True, slots=True)
class InstructionPlace:
    """An InstructionPlace is a file or folder from which a client reads instructions.

    path: relative to the root; ``{}`` is for the slug of a domain. front: (description,
    globs) -> front matter; with it the file is ours as a whole, without it only a block in it
    is.
    """

    path: str
    front: FrontMatter | None = None
    limit: SizeLimit | None = None

    @property
    def is_whole(self) -> bool:
        """Tells whether the file is ours as a whole."""
        return self.front is not None

    def path_for(self, slug: str) -> str:
        """Returns the path for a domain."""
        return self.path.replace("{}", slug)

    def matches(self, path: str) -> bool:
        """Tells whether ``path`` is one of this place."""
        before, _, after = self.path.partition("{}")
        if "{}" not in self.path:
            return path == self.path
        name = path[len(before) : len(path) - len(after)]
        inside = path.startswith(before) and path.endswith(after)
        return inside and bool(name) and "/" not in name


@dataclass(frozen=True, slots=True)
class SyncTarget:
    """A SyncTarget is a target of `synapse sync`: a client's own instruction files for rules.

    name: what people call it. title: who reads the files. main_place: the place of the rules
    that always apply. scoped_place: that of rules for some files; without one they follow
    those that always apply, each under a heading that names the files. dialect: how it reads
    globs. clients: those that `synapse install` knows and that read these files; where one of
    them has the hook, nothing is said twice. other_readers: clients that read them beside
    files of their own. imports: whether ``@path`` in the files is replaced by that file.
    """

    name: str
    title: str
    main_place: InstructionPlace
    clients: tuple[str, ...]
    scoped_place: InstructionPlace | None = None
    dialect: GlobDialect | None = None
    other_readers: tuple[str, ...] = ()
    imports: bool = False

    @property
    def places(self) -> tuple[InstructionPlace, ...]:
        """Returns all places, the main one first."""
        return (self.main_place, self.scoped_place) if self.scoped_place else (self.main_place,)

    def place_of(self, path: str) -> InstructionPlace | None:
        """Returns the place that ``path`` belongs to, None for none."""
        return next((place for place in self.places if place.matches(path)), None)


class InstructionFile(NamedTuple):
    """An InstructionFile is one of a target's instruction files as it is to be. ``front`` is "" and
    ``whole`` false where only the block is ours.
    """

    path: str
    kind: str
    body: str
    front: str = ""
    whole: bool = False
    globs: TranslatedGlobs = TranslatedGlobs(())
    limit: SizeLimit | None = None
