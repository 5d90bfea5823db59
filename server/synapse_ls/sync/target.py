"""What there is to know of a file that a client reads rules from. A target is a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.sync.globs import Dialect, Translated
from synapse_ls.text.lines import LineIndex


class Limit(NamedTuple):
    """How much of a file its reader takes. ``unit``: "bytes", "characters" or "lines"."""

    amount: int
    unit: str
    effect: str

    def exceeded(self, text: str) -> str:
        """What is to be said of a file with ``text``, "" where it is small enough."""
        size = {
            "bytes": len(text.encode("utf-8", "surrogateescape")),
            "characters": len(text),
            "lines": LineIndex(text).line_count - text.endswith(("\n", "\r")),
        }[self.unit]
        if size <= self.amount:
            return ""
        return f"it has {size:,} {self.unit} of {self.amount:,}: {self.effect}"


Front = Callable[[str, tuple[str, ...]], str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where rules go.

    path: relative to the root; ``{}`` is for the slug of a domain. front: (description, globs) ->
    front matter; with it the file is ours as a whole, without it only a block in it is.
    """

    path: str
    front: Front | None = None
    limit: Limit | None = None

    @property
    def whole(self) -> bool:
        """Whether the file is ours as a whole."""
        return self.front is not None

    def at(self, slug: str) -> str:
        """The path for a domain."""
        return self.path.replace("{}", slug)

    def holds(self, path: str) -> bool:
        """Whether ``path`` is one of this place."""
        before, _, after = self.path.partition("{}")
        if "{}" not in self.path:
            return path == self.path
        name = path[len(before) : len(path) - len(after)]
        inside = path.startswith(before) and path.endswith(after)
        return inside and bool(name) and "/" not in name


@dataclass(frozen=True, slots=True)
class Target:
    """A client's own files for rules.

    name: what people call it. title: who reads the files. standing: the place of the rules that
    always apply. by_path: that of rules for some files; without one they follow those that always
    apply, each under a heading that names the files. dialect: how it reads globs. clients: those that
    `synapse install` knows and that read these files; where one of them has the hook, nothing is
    told twice. also: clients that read them beside files of their own. imports: whether ``@path``
    in the files is replaced by that file.
    """

    name: str
    title: str
    standing: Place
    clients: tuple[str, ...]
    by_path: Place | None = None
    dialect: Dialect | None = None
    also: tuple[str, ...] = ()
    imports: bool = False

    @property
    def places(self) -> tuple[Place, ...]:
        """All places, the one of the standing rules first."""
        return (self.standing, self.by_path) if self.by_path else (self.standing,)

    def place_of(self, path: str) -> Place | None:
        """The place that ``path`` belongs to."""
        return next((place for place in self.places if place.holds(path)), None)


class Wanted(NamedTuple):
    """A file as it is to be. ``front`` is "" and ``whole`` false where only the block is ours."""

    path: str
    kind: str
    body: str
    front: str = ""
    whole: bool = False
    globs: Translated = Translated(())
    limit: Limit | None = None
