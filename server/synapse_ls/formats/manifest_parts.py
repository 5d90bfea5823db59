"""This module joins the parts of a long manifest that were read by themselves, so that an edit costs by the
part that it is in.

That can be done as long as no domain is in two parts, and no line is about several domains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from synapse_ls.formats.manifest import (
    MAX_SETTINGS,
    DomainDeclaration,
    Manifest,
    ManifestEntry,
    ManifestReading,
    merge_problems,
    read_manifest,
)
from synapse_ls.formats.manifest_line import parse_line
from synapse_ls.text.parse_result import ParseResult
from synapse_ls.text.span import Span, new_tuple


class ManifestPart(NamedTuple):
    """A ManifestPart is consecutive lines of a manifest, read by themselves; places count from their
    beginning.
    """

    text: str
    reading: ManifestReading

    @property
    def document(self) -> Manifest:
        """Returns the lines as a manifest of their own."""
        return self.reading.manifest


class JoinedManifest(Manifest):
    """A JoinedManifest is a manifest of parts; entries and domains are put at their places when somebody
    asks for them.
    """

    __slots__ = ("_domains", "_entries", "_parts")

    _parts: tuple[tuple[int, ManifestReading], ...]
    _entries: tuple[ManifestEntry, ...] | None
    _domains: Mapping[str, DomainDeclaration] | None

    @classmethod
    def of_parts(cls, text: str, parts: tuple[tuple[int, ManifestReading], ...]) -> JoinedManifest:
        """Returns the manifest of parts, each with the offset where it begins."""
        made = cls.__new__(cls)
        read = [part.manifest for _, part in parts]
        fields = {
            "text": text,
            "devmode": any(part.devmode for part in read),
            "global_exclude": tuple(chain.from_iterable(part.global_exclude for part in read)),
            "extends": {},
            "listed": (),
            "_parts": parts,
            "_entries": None,
            "_domains": None,
        }
        for name, value in fields.items():
            object.__setattr__(made, name, value)
        return made

    @property
    def entries(self) -> tuple[ManifestEntry, ...]:
        """Returns the entries in text order."""
        found = self._entries
        if found is None:
            placed = (
                _place_entry(start, entry)
                for start, part in self._parts
                for entry in part.manifest.entries
            )
            found = tuple(placed)
            object.__setattr__(self, "_entries", found)
        return found

    @property
    def domains(self) -> Mapping[str, DomainDeclaration]:
        """Returns the domains in the order of their first mention."""
        found = self._domains
        if found is None:
            found = {one.name: one for one in self.domains_that(lambda _: True)}
            object.__setattr__(self, "_domains", found)
        return found

    def domains_that(
        self, are_wanted: Callable[[DomainDeclaration], bool]
    ) -> Iterator[DomainDeclaration]:
        """Yields the domains of which ``are_wanted`` is true; only these are put at their places."""
        for start, part in self._parts:
            for one in filter(are_wanted, part.manifest.domains.values()):
                yield _place_domain(start, one)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Manifest) and _fields(self) == _fields(other)

    __hash__ = None  # type: ignore[assignment]


def _place_domain(start: int, declaration: DomainDeclaration) -> DomainDeclaration:
    """Returns a domain of a part where it is in the file."""
    name, span, entries = declaration
    placed = {setting: _place_entry(start, entry) for setting, entry in entries.items()}
    return DomainDeclaration(name, span.shift(start), placed)


def _fields(manifest: Manifest) -> tuple[object, ...]:
    return (
        *(manifest.text, manifest.entries, manifest.domains, manifest.devmode),
        *(manifest.global_exclude, manifest.extends, manifest.listed),
    )


def _place_entry(start: int, entry: ManifestEntry) -> ManifestEntry:
    """Returns an entry of a part where it is in the file; there are very many."""
    (first, last), line = entry
    return new_tuple(ManifestEntry, (new_tuple(Span, (start + first, start + last)), line))


def read_part(text: str) -> ManifestPart:
    """Returns what some lines of a manifest say."""
    return ManifestPart(text, read_manifest(text))


def begins_domain(text: str, start: int) -> bool:
    """Returns whether the line at an offset is of another domain than the one above, so that a part can
    begin there.
    """
    above = text[text.rfind("\n", 0, start - 1) + 1 : start].rstrip("\r\n")
    end = text.find("\n", start)
    line = parse_line(text[start : None if end < 0 else end].rstrip("\r"))
    before = parse_line(above)
    return line is not None and (before is None or line.domain != before.domain)


def join_parts(text: str, parts: Sequence[ManifestPart]) -> ParseResult[Manifest] | None:
    """Returns what the parts of a manifest say together; ``text`` is theirs, one after the other. None
    where they have more to do with each other than standing in one file.
    """
    readings = [part.reading for part in parts]
    if any(one.manifest.listed or one.manifest.extends for one in readings):
        return None
    if sum(len(one.manifest.entries) for one in readings) >= MAX_SETTINGS:
        return None
    # The settings of the whole tree are those of a domain without a name.
    speaking = [{name for name, said in one.settings.items() if said} for one in readings]
    if len(set[str]().union(*speaking)) < sum(map(len, speaking)):
        return None
    starts = accumulate((len(part.text) for part in parts), initial=0)
    placed = tuple(zip(starts, readings, strict=False))
    manifest = JoinedManifest.of_parts(text, placed)
    problems = [one.shift(start) for start, part in placed for one in part.problems]
    names = set[str]().union(*(one.names for one in readings))
    return ParseResult(manifest, merge_problems(manifest, problems, names))
