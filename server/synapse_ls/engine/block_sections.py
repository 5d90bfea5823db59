"""This module defines what layers contribute to a block: sections of entries, each entry with
its source and its rank.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


class Section:
    """A Section has entries under one heading; ``id`` is the profile's name for it, ``layer`` who
    gave it.

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
