"""This module defines what layers contribute to a block: sections of entries, each entry with
its source and its rank.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any, TypeVar

    Value = TypeVar("Value")


class Entry:
    """An Entry is one item of a block, most often a line.

    prefix: indent and marker. group: sub-heading it stands under, or "". rank: its class in the
    profile's removal order. weight: order within that class, least important first. domain,
    key, file, line: where it comes from (``line`` counts from 0). hash: its identity among the
    entries that stand in an agent's window, together with the section's heading. lifetime:
    "state", "recall" or "turn", how long it is wanted. is_essential: whether it is told again now and
    then though it stands. is_asked: whether this very prompt has asked for it. members: what a line
    tells that names several things at once; they stand in its place.
    """

    __slots__ = (
        "domain",
        "file",
        "group",
        "hash",
        "is_asked",
        "is_essential",
        "key",
        "lifetime",
        "line",
        "members",
        "prefix",
        "rank",
        "text",
        "weight",
    )

    def __init__(
        self,
        text: str,
        *,
        prefix: str,
        rank: str,
        hash: str,
        weight: tuple[Any, ...] = (),
        group: str = "",
        domain: str = "",
        key: str = "",
        file: str = "",
        line: int = 0,
        lifetime: str = "state",
        is_essential: bool = False,
        members: tuple[Entry, ...] = (),
    ) -> None:
        self.text = text
        self.prefix = prefix
        self.rank = rank
        self.hash = hash
        self.weight = weight
        self.group = group
        self.domain = domain
        self.key = key
        self.file = file
        self.line = line
        self.lifetime = lifetime
        self.is_essential = is_essential
        self.is_asked = False
        self.members = members

    @property
    def name(self) -> str:
        """Returns how a cut or an explanation names the entry: its key, else its domain and
        number.
        """
        return self.key or f"{self.domain} {self.prefix.strip()}".strip()

    def with_text(self, text: str) -> Entry:
        """Returns the same entry with another text."""
        made = Entry(text, prefix=self.prefix, rank=self.rank, hash=self.hash)
        for name in self.__slots__:
            if name != "text":
                setattr(made, name, getattr(self, name))
        return made


class Section:
    """A Section is a section of a block, entries under one heading; ``id`` is the profile's name
    for it, ``layer`` who gave it.

    heading, closing: a first and a last line of its own, "" for none. aside: it only sums up
    what else is there, so it comes with a full block alone and goes without a word. lead: a
    rule that the heading tells, as an entry that is wanted whenever the section is. place: the name
    under which its entries stand in a window: the heading, unless that says what may change.
    """

    __slots__ = ("closing", "entries", "heading", "id", "is_aside", "layer", "lead", "place")

    def __init__(
        self,
        id: str,
        heading: str,
        layer: str,
        entries: list[Entry],
        closing: str = "",
        *,
        aside: bool = False,
        lead: Entry | None = None,
        place: str = "",
    ) -> None:
        self.id = id
        self.heading = heading
        self.layer = layer
        self.entries = entries
        self.closing = closing
        self.is_aside = aside
        self.lead = lead
        self.place = place or heading

    def rename(self, heading: str) -> None:
        """Gives the section another heading, unless it is ""; ``{name}`` in it stands for whom the
        first one names, and a name that it leaves out follows it.
        """
        if heading:
            name = self.heading.partition(": ")[2].rstrip("]")
            if name and "{name}" not in heading:
                heading += " {name}"
            self.heading = self.place = heading.replace("{name}", name)

    def with_entries(self, entries: list[Entry]) -> Section:
        """Returns the same section with other entries."""
        return Section(
            self.id,
            self.heading,
            self.layer,
            entries,
            self.closing,
            aside=self.is_aside,
            lead=self.lead,
            place=self.place,
        )

    def hashes(self) -> Collection[str]:
        """Returns the identities of the entries."""
        return {entry.hash for entry in self.entries}

    def domain_counts(self) -> Mapping[str, int]:
        """Returns how many entries each domain has here that come from a file."""
        counts: dict[str, int] = {}
        for entry in self.entries:
            if entry.file:
                counts[entry.domain] = counts.get(entry.domain, 0) + 1
        return counts

    def entries_by_rank(self) -> Mapping[str, Sequence[Entry]]:
        """Returns the entries of each class of the removal order, the first to go first."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.rank, []).append(entry)
        if not self.is_aside:  # what goes whole is in no order
            for entries in found.values():
                entries.sort(key=_weight_of)
        return found

    def length(self, indent: str) -> int:
        """Returns the code points of all lines, each with its line break."""
        length = sum(1 + len(line) for line in (self.heading, self.closing) if line)
        groups: set[str] = set()
        for entry in self.entries:
            length += 1 + len(entry.prefix) + len(entry.text)
            if entry.group and entry.group not in groups:
                groups.add(entry.group)
                length += 1 + len(indent) + len(entry.group)
        return length

    def lines(self, indent: str) -> Sequence[str]:
        """Returns heading and entries, these under their groups.

        An empty line before an entry sets it off from another one, and not from a heading.
        """
        lines = [self.heading] if self.heading else []
        group = ""
        headed = bool(lines)
        for entry in self.entries:
            if entry.group != group:
                group = entry.group
                if group:
                    lines.append(indent + group)
                    headed = True
            lines.append((entry.prefix.lstrip("\n") if headed else entry.prefix) + entry.text)
            headed = False
        return lines


def _weight_of(entry: Entry) -> tuple[Any, ...]:
    return entry.weight


class KeptSection(Section):
    """A KeptSection is a section of the block that stays with a plan: nobody changes it or its
    entries, so that what is asked of them is found out once.
    """

    __slots__ = ("_known",)

    def __init__(self, id: str, heading: str, layer: str, entries: list[Entry]) -> None:
        super().__init__(id, heading, layer, entries)
        self._known: dict[tuple[object, ...], Any] = {}

    def hashes(self) -> Collection[str]:
        return self._find_once(Section.hashes)

    def domain_counts(self) -> Mapping[str, int]:
        return self._find_once(Section.domain_counts)

    def entries_by_rank(self) -> Mapping[str, Sequence[Entry]]:
        return self._find_once(Section.entries_by_rank)

    def length(self, indent: str) -> int:
        return self._find_once(Section.length, indent)

    def lines(self, indent: str) -> Sequence[str]:
        return self._find_once(_joined_lines, indent)

    def _find_once(self, find: Callable[..., Value], *given: str) -> Value:
        name = (find, *given)
        found: Value | None = self._known.get(name)
        if found is None:
            found = self._known[name] = find(self, *given)
        return found


def _joined_lines(section: Section, indent: str) -> Sequence[str]:
    """Returns the lines of a section as one text."""
    lines = Section.lines(section, indent)
    return ("\n".join(lines),) if lines else ()
