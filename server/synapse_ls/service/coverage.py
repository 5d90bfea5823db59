"""What of a tree agents get to see, judged by many replies: what never fires, what always does.

Behind ``synapse coverage``. A statement rests on the prompts that were looked at, and says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from synapse_ls.engine.layers.entries import INJECTED
from synapse_ls.engine.phrases import SENTENCES
from synapse_ls.engine.prompt import is_executed
from synapse_ls.engine.words import fold
from synapse_ls.service.inventory import stamp
from synapse_ls.service.told import name_of
from synapse_ls.text.counted import counted
from synapse_ls.text.near import nearest

if TYPE_CHECKING:
    from synapse_ls.engine.plan import Domain, Plan, Row
    from synapse_ls.service.observed import Observed

ENOUGH = 20
"""Prompts from which on something can be said about a tree; fewer are too few to judge."""

NEARLY_ALWAYS = 0.9
"""The share of prompts from which on a domain that waits for keywords might as well always be told."""

TOGETHER = 5
"""Prompts that have to wake domains before it counts that they always do so together."""

_SHOWN = 3  # keywords or brackets that a sentence names
_BY_NATURE = ("constitution", "global", "context", "always-on", "on-command")
_BY_WORDS = ("recall", "recalled")


class Kind(NamedTuple):
    """A kind of finding: its code and what it is called in a list."""

    code: str
    name: str
    title: str


KINDS = tuple(
    Kind(*row)
    for row in (
        ("COV101", "domain-never-awake", "Domains that never took part"),
        ("COV102", "rule-never-told", "Rules that were never told"),
        ("COV103", "rule-always-cut", "Rules that were always cut"),
        ("COV104", "keyword-never-matched", "Keywords that never matched"),
        ("COV105", "command-never-used", "Star-commands that nobody used"),
        ("COV201", "domains-always-together", "Domains that always took part together"),
        ("COV202", "domain-nearly-always", "Domains that nearly always took part"),
    )
)
_BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Finding:
    """What stands out. name: the rule, domain, keyword or command. line counts from 1."""

    kind: Kind
    name: str
    domain: str
    file: str
    line: int
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class DomainShare:
    """How much of a domain was seen: prompts in which it took part, rules that were ever told."""

    label: str
    prompts: int
    told: int
    rules: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The judgement; ``told`` of ``rules`` that can be told were told at least once."""

    prompts: int
    sessions: int
    told: int
    rules: int
    domains: tuple[DomainShare, ...]
    findings: tuple[Finding, ...]

    @property
    def percent(self) -> float:
        """The share of rules that were told, 100 for a tree without any."""
        return 100.0 * self.told / self.rules if self.rules else 100.0

    @property
    def is_enough(self) -> bool:
        """Whether there were prompts enough to judge by."""
        return self.prompts >= ENOUGH


def coverage(plan: Plan, seen: Observed) -> Coverage:
    """What ``seen`` says about the tree of ``plan`` as it is now."""
    judge = _Judge(plan, seen)
    shares = []
    for domain in plan.domains():
        rows = [row for row in domain.rows if can_be_told(row)]
        told = sum(judge.was_told(domain, row) for row in rows)
        shares.append(DomainShare(domain.label, len(seen.took[domain.label]), told, len(rows)))
    return Coverage(
        seen.prompts,
        len(seen.sessions),
        sum(share.told for share in shares),
        sum(share.rules for share in shares),
        tuple(shares),
        tuple(judge.findings()) if seen.prompts else (),
    )


def can_be_told(row: Row) -> bool:
    """Whether a rule is one for agents, and not for the guard or carried out by ourselves."""
    return row.kind in INJECTED and not (row.kind == "command" and is_executed(row.qualifier))


def coverage_report(found: Coverage, seen: Observed) -> dict[str, Any]:
    """The judgement as plain values."""
    return {
        "prompts": found.prompts,
        "sessions": found.sessions,
        "enough": found.is_enough,
        "first": stamp(seen.first) if seen.first else None,
        "last": stamp(seen.last) if seen.last else None,
        "percent": round(found.percent, 1),
        "told": found.told,
        "rules": found.rules,
        "domains": [
            {"label": s.label, "prompts": s.prompts, "told": s.told, "rules": s.rules}
            for s in found.domains
        ],
        "findings": [
            {
                "code": finding.kind.code,
                "kind": finding.kind.name,
                "name": finding.name,
                "domain": finding.domain,
                "file": finding.file,
                "line": finding.line,
                "message": finding.message,
                "remedy": finding.remedy or None,
            }
            for finding in found.findings
        ],
    }


class _Judge:
    def __init__(self, plan: Plan, seen: Observed) -> None:
        self._plan = plan
        self._seen = seen
        self._told_names = {name for name, _ in seen.told}
        self._cut_names = {name for name, _ in seen.cut}
        rows = ((domain, row) for domain in plan.domains() for row in domain.rows)
        self._owners = Counter(name_of(domain, row) for domain, row in rows)

    def was_told(self, domain: Domain, row: Row) -> bool:
        """Whether a rule was told, if perhaps in other words."""
        return self._among(self._seen.told, self._told_names, domain, row)

    def _was_cut(self, domain: Domain, row: Row) -> bool:
        return self._among(self._seen.cut, self._cut_names, domain, row)

    def _among(
        self, counts: Counter[tuple[str, str]], names: set[str], domain: Domain, row: Row
    ) -> bool:
        name = name_of(domain, row)
        return counts[name, row.hash] > 0 or (self._owners[name] == 1 and name in names)

    def findings(self) -> Iterator[Finding]:
        """Everything that stands out, by kind and in the order of the tree."""
        found = [finding for domain in self._plan.domains() for finding in self._of(domain)]
        found += [*self._together(), *self._commands()]
        order = {kind: position for position, kind in enumerate(KINDS)}
        yield from sorted(found, key=lambda finding: order[finding.kind])

    def _of(self, domain: Domain) -> Iterator[Finding]:
        took = len(self._seen.took[domain.label])
        if domain.role == "commands":
            return
        if not took and domain.role != "context":
            message, remedy = self._why_never(domain)
            yield _at_domain("domain-never-awake", domain, message, remedy)
            return
        for row in domain.rows:
            if can_be_told(row) and not self.was_told(domain, row):
                yield self._untold(domain, row)
        if domain.recall:
            yield from self._keywords(domain)
            yield from self._always(domain, took)

    def _untold(self, domain: Domain, row: Row) -> Finding:
        if self._was_cut(domain, row):
            kind, message = "rule-always-cut", "it was wanted and did not fit, each time"
            remedy = "shorten what comes before it, or mark the domain _NON_NEGOTIABLE=true"
        else:
            kind, (message, remedy) = "rule-never-told", self._why_untold(row)
        name = name_of(domain, row)
        where = (domain.file, row.line + 1)
        return Finding(_BY_NAME[kind], name, domain.label, *where, message, remedy)

    def _why_untold(self, row: Row) -> tuple[str, str]:
        if row.kind == "bracket":
            return f"the window never came to {row.qualifier}", ""
        if row.phase:
            return f"no prompt came in phase {row.phase}", ""
        if any(identity == row.hash for _, identity in self._seen.told):
            return "the same text was told under another name", "remove one of the two"
        return "its domain took part, but this rule is not among those that were told", ""

    def _why_never(self, domain: Domain) -> tuple[str, str]:
        """Why a domain took part in nothing, and what would change that."""
        seen, waits = self._seen, []
        if not domain.active:
            place = f"{domain.manifest}:{domain.line + 1}"
            return f"{domain.name}_STATE is not active", f"set it active in {place}, or delete it"
        if not domain.file:
            return "it has no rule file", f"write one, or take {domain.name} out of the manifest"
        if seen.slept[domain.label]:
            return self._why_slept(domain)
        if domain.agent:
            waits.append(f"@{domain.agent} was never active")
        if domain.workflow:
            waits.append(f"workflow {domain.workflow} was never active")
        remedy = ""
        if domain.recall:
            waits.append(f"no prompt had one of its keywords ({_some(domain.recall)})")
            remedy = self._near(domain)
        if domain.every_n_turns:
            waits.append(f"no session came to prompt {domain.every_n_turns}")
        if domain.on_tokens:
            waits.append(f"{domain.on_tokens:,} tokens were never known to be used")
        if domain.paths:
            waits.append(f"no file of {_some(domain.paths)} was touched or mentioned")
        if domain.squad >= 0:
            waits.append(f"squad {self._plan.squads[domain.squad].folder} was never active")
        if not waits and domain.role in self._plan.profile.deciders:
            return SENTENCES["no-words"], SENTENCES["say-words"]
        if not waits:
            trigger = f"{domain.name}_RECALL, a trigger, or {domain.name}_ALWAYS_ON=true"
            return "nothing can wake it", f"give it {trigger}"
        return "; ".join(waits), remedy

    def _why_slept(self, domain: Domain) -> tuple[str, str]:
        brackets = self._seen.slept[domain.label]
        times = counted(sum(brackets.values()), "prompt")
        rivals = [
            rival.label
            for rival in self._plan.domains()
            if domain.name in rival.overrides and self._seen.took[rival.label]
        ]
        if rivals and domain.squad < 0:
            return (
                f"its keywords matched in {times}, but {_some(rivals)} of a squad overrides it",
                f"set extends to extend, or mark {domain.name}_NON_NEGOTIABLE=true",
            )
        asleep = [
            bracket.name
            for bracket in self._plan.profile.brackets
            if bracket.name in brackets and not bracket.layers & {"L5", "L6"}
        ]
        if asleep:
            return (
                f"its keywords matched in {times}, but its layer sleeps in {_some(asleep)}",
                'set profile = "synapse-live" in .synapse/config.toml',
            )
        return f"its keywords matched in {times}, but it was excluded", "see its _EXCLUDE words"

    def _keywords(self, domain: Domain) -> Iterator[Finding]:
        for word in domain.recall:
            if not self._seen.matched[domain.label, word]:
                remedy = self._near(domain, word)
                yield _at_domain(
                    "keyword-never-matched", domain, "in no prompt", remedy, name=f'"{word}"'
                )

    def _near(self, domain: Domain, *words: str) -> str:
        """What prompts say that is close to a keyword, "" where nothing is or nobody knows."""
        known = {fold(word) for word in domain.recall}
        for word in words or domain.recall:
            folded = fold(word)
            length = len(folded.split())
            options = [
                phrase
                for phrase in self._seen.said
                if len(phrase.split()) == length
                and phrase[:1] == folded[:1]
                and phrase not in known
            ]
            if near := nearest(folded, options):
                times = counted(self._seen.said[near], "time")
                return f'prompts say "{near}" ({times}): add it to {domain.name}_RECALL'
        return ""

    def _always(self, domain: Domain, took: int) -> Iterator[Finding]:
        codes = self._seen.reasons[domain.label]
        by_words = sum(codes[code] for code in _BY_WORDS)
        enough = self._seen.prompts >= ENOUGH
        if enough and by_words == took >= NEARLY_ALWAYS * self._seen.prompts:
            yield _at_domain(
                "domain-nearly-always",
                domain,
                f"its keywords woke it in {took} of {counted(self._seen.prompts, 'prompt')}",
                f"set {domain.name}_ALWAYS_ON=true, or choose keywords that say more",
            )

    def _together(self) -> Iterator[Finding]:
        """Domains that wait for something, each time the same, so that they could be one."""
        groups: defaultdict[frozenset[int], list[Domain]] = defaultdict(list)
        for domain in self._plan.domains():
            waits = not any(self._seen.reasons[domain.label][code] for code in _BY_NATURE)
            prompts = frozenset(self._seen.woke[domain.label])
            if waits and TOGETHER <= len(prompts) < self._seen.prompts:
                groups[prompts].append(domain)
        for prompts, domains in groups.items():
            if len(domains) > 1 and len({domain.squad for domain in domains}) == 1:
                names = [domain.label for domain in domains]
                yield _at_domain(
                    "domains-always-together",
                    domains[0],
                    f"the same {counted(len(prompts), 'prompt')} woke them",
                    "make one domain of them",
                    name=" + ".join(names),
                )

    def _commands(self) -> Iterator[Finding]:
        for domain in self._plan.domains():
            if domain.role == "commands":
                for name, (file, _) in self._plan.commands.items():
                    rows = self._plan.command_rows(name)
                    used = any(self.was_told(domain, r) or self._was_cut(domain, r) for r in rows)
                    if rows and not used and not is_executed(name):
                        yield Finding(
                            _BY_NAME["command-never-used"],
                            f"*{name}",
                            domain.label,
                            file,
                            rows[0].line + 1,
                            "no prompt asked for it",
                        )


def _at_domain(
    kind: str, domain: Domain, message: str, remedy: str = "", name: str = ""
) -> Finding:
    label = domain.label
    place = (domain.manifest or domain.file, domain.line + 1)
    return Finding(_BY_NAME[kind], name or label, label, *place, message, remedy)


def _some(words: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(
        f'"{word}"' if " " in word or word.islower() else word for word in words[:_SHOWN]
    )
    return f"{shown}, …" if len(words) > _SHOWN else shown
