"""This module defines what layers contribute to a block: sections of entries, each entry with
its source and its rank.

This module turns rules of a tree into entries of a section; the layers of all systems share
it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from synapse_ls.engine.compiled_plan import PlanDomain, RuleRow

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


OUTER, INNER = "  ", "    "
ASKING_CODES = ("recall", "paths")  # of what a prompt brings in by its own words or files
INJECTED_KINDS = ("rule", "auth", "article", "title", "bracket", "command", "plain")


def make_rule_entries(
    domain: PlanDomain,
    rows: Iterable[RuleRow],
    *,
    rank: str,
    group: str = "",
    weight: tuple[Any, ...] = (),
    recall: bool = False,
) -> list[Entry]:
    """Returns an entry for each rule of ``rows`` that is text for an agent.

    group: sub-heading for rules that have none of their own. weight: what the removal order
    looks at before the position of the rule; within a domain the last rule goes first.
    """
    made = []
    protected = "NON_NEGOTIABLE" if domain.non_negotiable else rank
    for position, row in enumerate(rows):
        if row.kind not in INJECTED_KINDS:
            continue
        under = group if not row.group else f"{row.group}:"
        made.append(
            Entry(
                row.text,
                prefix=f"{INNER if under else OUTER}{row.number} ",
                rank=protected,
                hash=row.hash,
                weight=(*weight, -position),
                group=under,
                domain=domain.label,
                key=row.key,
                file=domain.file,
                line=row.line,
                lifetime="recall" if recall else "state",
                is_essential=domain.non_negotiable,
            )
        )
    return made


def split_rows(
    rows: Iterable[RuleRow], test: Callable[[RuleRow], bool]
) -> tuple[list[RuleRow], list[RuleRow]]:
    """Splits rows of rules, before entries are made of them, into those that pass ``test`` and
    those that do not.
    """
    passed: list[RuleRow] = []
    failed: list[RuleRow] = []
    for row in rows:
        (passed if test(row) else failed).append(row)
    return passed, failed


def boundary_first_entries(
    domain: PlanDomain, rows: Iterable[RuleRow], *, rank: str
) -> list[Entry]:
    """Returns entries for authority boundaries first, then for rules: the shape of agent and
    workflow sections (ADR-001 E6).
    """
    auth, rest = split_rows(rows, lambda row: row.kind == "auth")
    boundaries = make_rule_entries(
        domain, auth, rank="AUTHORITY", group="AUTHORITY BOUNDARIES:", weight=(-domain.position,)
    )
    for entry in boundaries:
        entry.prefix = f"{INNER}- "
        entry.is_essential = True
    return boundaries + make_rule_entries(
        domain, rest, rank=rank, group="RULES:", weight=(-domain.position,)
    )


def trigger_reason(code: str, detail: tuple[str, ...]) -> str:
    """Returns why a triggered domain takes part, as the sub-heading above the entries of its rules
    says it.
    """
    from synapse_ls.engine.text_escaping import neutralise_text

    detail = tuple(map(neutralise_text, detail))
    words = ", ".join(f'"{word}"' for word in detail[:3])
    if code in ("recall", "recalled"):
        more = f" and {len(detail) - 3} more" if len(detail) > 3 else ""
        return f"matched {words}{more}"
    return {
        "always-on": "always on",
        "squad-active": "squad active",
        "agent": f"@{detail[0]}" if detail else "",
        "workflow": f"workflow {detail[0]}" if detail else "",
        "turns": f"every {detail[0]} prompts" if detail else "",
        "tokens": f"past {detail[0]} tokens" if detail else "",
        "paths": f"file {detail[0]}" if detail else "",
    }[code.removeprefix("recalled-")]


def triggered_domain_entries(
    domain: PlanDomain, code: str, detail: tuple[str, ...], *, rank: str, recall: bool
) -> list[Entry]:
    """Returns entries for the rules of a domain that a trigger woke, under its name and the reason.

    Fewest distinct matches go first, then the shortest match, then the last in the manifest.
    """
    matched = detail if code in ("recall", "recalled") else ()
    longest = max((len(word) for word in matched), default=0)
    weight = (len(matched) or 99, longest, -domain.position)
    group = f"{domain.label} ({trigger_reason(code, detail)}):"
    made = make_rule_entries(
        domain, domain.rows, rank=rank, group=group, weight=weight, recall=recall
    )
    for entry in made:
        entry.group, entry.prefix = group, f"{INNER}{entry.prefix.lstrip()}"
        entry.is_asked = code in ASKING_CODES
    return made
