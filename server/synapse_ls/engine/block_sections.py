"""What layers contribute to a block: sections of entries, each entry with its source and rank."""

from __future__ import annotations

from synapse_ls.engine.text_escaping import neutralise_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from synapse_ls.engine.compiled_plan import PlanDomain
    from synapse_ls.engine.domain_selection import Verdict
    from synapse_ls.formats.rule import Rule

OUTER, INNER = "  ", "    "
ASKING_CODES = ("recall", "paths")  # of what a prompt brings in by its own words or files
_TRIGGER_REASONS = {
    "always-on": "always on",
    "squad-active": "squad active",
    "agent": "@{0}",
    "workflow": "workflow {0}",
    "turns": "every {0} prompts",
    "tokens": "past {0} tokens",
    "paths": "file {0}",
}
INJECTED_KINDS = ("rule", "auth", "article", "title", "bracket", "command", "plain")


class Entry:
    """One item of a block, most often a line.

    forbids: whether it is a rule that forbids. prefix: indent and marker. group: sub-heading it
    stands under, or "". rank: its class in the profile's removal order. weight: order within that
    class, least important first. domain, key,
    file, line: where it comes from (``line`` counts from 0). hash: its identity among the entries
    that stand in an agent's window, together with the section's heading. lifetime: "state",
    "recall" or "turn", how long it is wanted. is_essential: whether it is told again now and then
    though it stands. is_asked: whether this very prompt has asked for it. members: what a line
    tells that names several things at once; they stand in its place. turn, usage, layer: of an
    entry that stands in a window: the prompt at which it was last told, -1 where an older version
    has noted that; "{source}:{percent left}" then; where it comes from.
    """

    is_asked = False
    turn = -1
    usage = layer = ""

    # Not a `Record`: a prompt makes one for each rule that counts.
    def __init__(
        self,
        text: str,
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
        forbids: bool = False,
        members: tuple[Entry, ...] = (),
    ) -> None:
        self.text, self.prefix, self.rank, self.hash = text, prefix, rank, hash
        self.weight, self.group, self.members = weight, group, members
        self.domain, self.key, self.file, self.line = domain, key, file, line
        self.lifetime, self.is_essential, self.forbids = lifetime, is_essential, forbids

    @property
    def name(self) -> str:
        """How a cut or an explanation names the entry: its key, else its domain and number."""
        return self.key or f"{self.domain} {self.prefix.strip()}".strip()


class Section:
    """Entries of a block under one heading; ``id`` is the profile's name for it, ``layer`` who gave
    it.

    heading, closing: a first and a last line of its own, "" for none. aside: it only sums up what
    else is there, so it comes with a full block alone and goes without a word. lead: a rule that
    the heading tells, as an entry that is wanted whenever the section is. place: the name under
    which its entries stand in a window: the heading, unless that says what may change.
    """

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
        """Give the section another heading, unless it is ""; ``{name}`` in it stands for whom the
        first one names, and a name that it leaves out follows it.
        """
        if heading:
            name = self.heading.partition(": ")[2].rstrip("]")
            if name and "{name}" not in heading:
                heading += " {name}"
            self.heading = self.place = heading.replace("{name}", name)

    def with_entries(self, entries: list[Entry]) -> Section:
        """Return the same section with other entries."""
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

    def length(self, indent: str) -> int:
        """Return the code points of all lines, each with its line break."""
        length = sum(1 + len(line) for line in (self.heading, self.closing) if line)
        groups: set[str] = set()
        for entry in self.entries:
            length += 1 + len(entry.prefix) + len(entry.text)
            if entry.group and entry.group not in groups:
                groups.add(entry.group)
                length += 1 + len(indent) + len(entry.group)
        return length

    def lines(self, indent: str) -> list[str]:
        """Return heading and entries, these under their groups.

        An empty line before an entry sets it off from another one, and not from a heading.
        """
        lines = [self.heading] if self.heading else []
        group = ""
        is_first = bool(lines)
        for entry in self.entries:
            if entry.group != group and (group := entry.group):
                lines.append(indent + group)
                is_first = True
            lines.append((entry.prefix.lstrip("\n") if is_first else entry.prefix) + entry.text)
            is_first = False
        return lines


def make_rule_entry(
    domain: PlanDomain,
    rule: Rule,
    *,
    rank: str,
    prefix: str = "",
    text: str = "",
    weight: tuple[Any, ...] = (),
    group: str = "",
    lifetime: str = "state",
) -> Entry:
    """Return the entry of a rule; ``text`` is what stands in the block where that is more than the
    rule's own. Of equal rank, what recommends goes before what forbids, and by ``weight`` then.
    """
    return Entry(
        text or rule.text,
        prefix,
        rank,
        rule.hash,
        (rule.forbids or rule.kind == "title", *weight),
        group,
        domain.label,
        rule.key,
        domain.file,
        rule.line,
        lifetime,
        domain.non_negotiable,
        rule.forbids,
    )


def keep_prohibitions(entries: Iterable[Entry], rank: Mapping[str, int]) -> None:
    """Have what forbids in domains that are always on leave the block after all that a keyword can
    bring in; ``rank`` is that of the profile's classes.
    """
    for entry in entries:
        if entry.forbids and rank[entry.rank] < rank["PROHIBITION"]:
            entry.rank = "PROHIBITION"


def make_rule_entries(
    domain: PlanDomain,
    rules: Iterable[Rule],
    *,
    rank: str,
    group: str = "",
    weight: tuple[Any, ...] = (),
    recall: bool = False,
) -> list[Entry]:
    """Return a numbered entry for each rule of ``rules`` that is text for an agent.

    group: sub-heading for rules that have none of their own. weight: what the removal order looks
    at before the position of the rule; within a domain the last rule goes first.
    """
    entries = []
    rank = "NON_NEGOTIABLE" if domain.non_negotiable else rank
    lifetime = "recall" if recall else "state"
    for position, rule in enumerate(rules):
        if rule.kind not in INJECTED_KINDS:
            continue
        under = f"{rule.group}:" if rule.group else group
        prefix = f"{INNER if under else OUTER}{rule.number} "
        entries.append(
            make_rule_entry(
                domain,
                rule,
                rank=rank,
                prefix=prefix,
                weight=(*weight, -position),
                group=under,
                lifetime=lifetime,
            )
        )
    return entries


def boundary_first_entries(domain: PlanDomain, rules: Sequence[Rule], *, rank: str) -> list[Entry]:
    """Return entries for authority boundaries first, then for rules: the shape of agent and
    workflow sections (ADR-001 E6).
    """
    weight = (-domain.position,)
    auth = [rule for rule in rules if rule.kind == "auth"]
    boundaries = make_rule_entries(
        domain, auth, rank="AUTHORITY", group="AUTHORITY BOUNDARIES:", weight=weight
    )
    for entry in boundaries:
        entry.prefix = f"{INNER}- "
        entry.is_essential = True
    rest = [rule for rule in rules if rule.kind != "auth"]
    return boundaries + make_rule_entries(domain, rest, rank=rank, group="RULES:", weight=weight)


def triggered_domain_entries(domain: PlanDomain, verdict: Verdict, *, rank: str) -> list[Entry]:
    """Return entries for the rules of a domain that a trigger woke, under its name and the reason.

    Fewest distinct matches go first, then the shortest match, then the last in the manifest.
    """
    matches = verdict.detail if verdict.code in ("recall", "recalled") else ()
    weight = (len(matches) or 99, max(map(len, matches), default=0), -domain.position)
    details = tuple(map(neutralise_text, verdict.detail))
    if verdict.code in ("recall", "recalled"):
        reason = "matched " + ", ".join(f'"{word}"' for word in details[:3])
        reason += f" and {len(details) - 3} more" if len(details) > 3 else ""
    else:
        pattern = _TRIGGER_REASONS[verdict.code.removeprefix("recalled-")]
        reason = pattern.format(*details) if details or "{" not in pattern else ""
    group = f"{domain.label} ({reason}):"
    entries = make_rule_entries(
        domain, domain.rules, rank=rank, group=group, weight=weight, recall=verdict.recall
    )
    for entry in entries:
        entry.group, entry.prefix = group, f"{INNER}{entry.prefix.lstrip()}"
        entry.is_asked = verdict.code in ASKING_CODES
    return entries
