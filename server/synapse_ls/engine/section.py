"""What layers contribute: sections of entries, each entry with its source and its fate."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Entry:
    """One item of a block, most often a line.

    prefix: indent and marker. group: sub-heading it stands under, or "". rank: its class in the
    profile's removal order. weight: order within that class, least important first.
    domain, key, file, line: where it comes from (``line`` counts from 0). hash: its identity in
    what an agent was already told, together with the section's heading.
    """

    __slots__ = (
        "domain",
        "file",
        "group",
        "hash",
        "key",
        "lifetime",
        "line",
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

    @property
    def name(self) -> str:
        """How a cut or an explanation names the entry: its key, else its domain and number."""
        return self.key or f"{self.domain} {self.prefix.strip()}".strip()


class Section:
    """Entries under one heading; ``id`` is the profile's name for it, ``layer`` who gave it.

    heading, closing: a first and a last line of its own, "" for none. aside: it only sums up what
    else is there, so it comes with a full block alone and goes without a word. lead: a rule that the
    heading tells, as an entry that is told whenever the section is.
    """

    __slots__ = ("aside", "closing", "entries", "heading", "id", "layer", "lead")

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
    ) -> None:
        self.id = id
        self.heading = heading
        self.layer = layer
        self.entries = entries
        self.closing = closing
        self.aside = aside
        self.lead = lead

    def with_entries(self, entries: list[Entry]) -> Section:
        """The same section with other entries."""
        return Section(
            self.id,
            self.heading,
            self.layer,
            entries,
            self.closing,
            aside=self.aside,
            lead=self.lead,
        )
