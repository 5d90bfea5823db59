"""Reports of the injection log: injected blocks with their rules, and statistics."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.reason_phrases import SENTENCES, Phrase, make_phrase
from synapse_ls.engine.word_matching import fold_text
from synapse_ls.formats.rule import Rule
from synapse_ls.integrations.hook_event import PROMPT
from synapse_ls.queries.report_model import INLINE, LINE, PhraseReport, phrase_report, report_of
from synapse_ls.queries.session_lookup import UsagePoint, format_time
from synapse_ls.storage.injection_log import PATH_CODES, TEXT_KEPT, WITHDRAWN, parse_entries

if TYPE_CHECKING:
    from synapse_ls.storage.injection_log import Record

    NamedEntry = tuple[str, str]  # name and hash of an entry

# Prompts of a session whose usage is told.
MAX_POINTS = 60

# What became of a text that was kept until newer ones took its place.
TEXT_GONE = "gone"

_QUOTED_CODES = ("recall", "recalled")


@dataclass(frozen=True, kw_only=True)
class InjectedEntry:
    """A line that was injected for an agent; `text` is null where no rule has this text any more.
    What is taken back has its heading for a name, other lines that are no rules the id of their
    section.
    """

    name: str
    text: str | None
    file: str | None
    line: int | None = field(metadata=LINE)


@dataclass(frozen=True, kw_only=True)
class InjectedSection:
    """The entries that were injected under one heading."""

    id: str
    entries: list[InjectedEntry]


@dataclass(frozen=True, kw_only=True)
class DomainContribution:
    """A domain that took part in an injection, and why: in English, and as a phrase."""

    layer: str
    label: str
    reason: str
    phrase: PhraseReport = field(metadata=INLINE)


@dataclass(frozen=True, kw_only=True)
class InjectionReport:
    """The report of one injection, a reply of the hook, as the log has it. `subAgent` is the
    sub-agent whose window it went to.

    `why`: the reason for a full block, null for a difference. `arrived`: whether the client's
    transcript shows it on the branch that leads to the newest message, null where it does not tell.
    `cancelled`: whether it was taken back with its prompt, and stands no more. `cuts`: how many
    entries did not fit. `block`: what became of its text, "kept", "gone", "off" or "quotes", null
    where there was none. `text`: what was sent, byte for byte, where it was asked for and is kept.
    """

    time: str
    sub_agent: str | None
    session: str | None
    agent: str | None
    workflow: str | None
    phase: str | None
    why: str | None
    client: str
    event: str
    bracket: str
    remaining: float
    source: str
    used: int | None
    tokens: int
    budget: int
    cuts: int
    hash: str
    turn: int | None
    arrived: bool | None
    cancelled: bool
    domains: list[DomainContribution]
    sections: list[InjectedSection]
    cut: list[str]
    limited: list[str]
    block: str | None
    text: str | None


@dataclass(frozen=True, kw_only=True)
class InjectionsReport:
    """The report of all injections, what agents received from hooks, the latest first."""

    injections: list[InjectionReport]


@dataclass(frozen=True, slots=True)
class ReplyFilter:
    """Which replies of the injection log are asked for; what is empty asks for nothing.

    since: seconds since the epoch. rule: the name of a rule that was sent or cut, or of a domain
    that took part. agent: its id, or the sub-agent whose window it was. block: how the hash begins.
    """

    session: str = ""
    client: str = ""
    agent: str = ""
    since: float = 0.0
    rule: str = ""
    block: str = ""

    def __call__(self, record: Record) -> bool:
        """Whether ``record`` is one of them."""
        return (
            self.matches_origin(record)
            and (not self.rule or bool(rule_outcome(record, self.rule)))
            and (not self.block or record["hash"].startswith(self.block))
        )

    def matches_origin(self, record: Record) -> bool:
        """Return whether ``record``, of a reply or of the guard, is of the time, the session and
        the agent.
        """
        agents = (record["agent"].casefold(), record["window"].casefold())
        return (
            record["time"] >= self.since
            and (not self.session or record["session"] == self.session)
            and (not self.client or record["client"] == self.client)
            and (not self.agent or self.agent.removeprefix("@").casefold() in agents)
        )


def rule_outcome(record: Record, rule: str) -> str:
    """Return "told", "cut" or "taking part" for a rule or a domain that a reply in the injection
    log speaks of, else "".
    """
    wanted = rule.casefold()
    if wanted in (name.casefold() for _, name in _sent_entries(record)):
        return "told"
    if wanted in (name.casefold() for name in (*cut_rules(record), *limited_rules(record))):
        return "cut"
    return "taking part" if wanted in (d.label.casefold() for d in domains_in_reply(record)) else ""


@dataclass(frozen=True, slots=True)
class DomainPart:
    """A domain that took part in a reply of the injection log, by which layer, and why."""

    layer: str
    label: str
    reason_phrase: Phrase

    @property
    def reason(self) -> str:
        """Why the domain took part, in English; "" where the layer says it all."""
        return self.reason_phrase.sentence if self.reason_phrase.code in SENTENCES else ""


def domains_in_reply(record: Record) -> list[DomainPart]:
    """Return the domains that took part in a reply of the injection log, in the order of layers."""
    parts = []
    for written in record["domains"]:
        layer, label, code, *values = written.split("\t")
        arguments = (
            (", ".join(f'"{word}"' for word in values),) if code in _QUOTED_CODES else values
        )
        if code in PATH_CODES:
            arguments = ("a file of its kind",)
        parts.append(DomainPart(layer, label, make_phrase(code, *arguments)))
    return parts


def rule_name(domain: PlanDomain, row: Rule) -> str:
    """Return what the injection log calls a rule."""
    return row.key or f"{domain.label} {row.number}"


def cut_rules(record: Record) -> list[str]:
    """Return the rules that the budget removed from a reply of the injection log, by name."""
    return [name for _, name in parse_entries(record["cut"]) if name]


def limited_rules(record: Record) -> list[str]:
    """Return the rules that the client's hard limit removed from a reply of the injection log, by
    name.
    """
    return [name for _, name in parse_entries(record["limited"]) if name]


def injections_report(
    plan: Plan, records: Iterable[Record], text_of: Callable[[str], str | None] | None = None
) -> list[InjectionReport]:
    """Return the report of the injection log, replies of the hook; a rule's text and place where it
    still says what it said then.

    text_of: gives the exact block by its hash; without it ``text`` is None.
    """
    logged = list(records)
    # (name, hash) -> the rule of that name whose text has this hash now.
    names = {name for record in logged for _, name in _sent_entries(record)}
    rules: dict[tuple[str, str], InjectedEntry] = {}
    for domain in plan.domains():
        for row in domain.rules:
            if (name := rule_name(domain, row)) in names:
                entry = InjectedEntry(name=name, text=row.text, file=domain.file, line=row.line + 1)
                rules.setdefault((name, row.hash), entry)
    return [_reply_report(record, rules, text_of) for record in logged]


def _reply_report(
    record: Record,
    rules: Mapping[tuple[str, str], InjectedEntry],
    text_of: Callable[[str], str | None] | None,
) -> InjectionReport:
    text = text_of(record["hash"]) if text_of and record["block"] == TEXT_KEPT else None
    state = (
        TEXT_GONE if text_of and text is None and record["block"] == TEXT_KEPT else record["block"]
    )
    return report_of(
        InjectionReport,
        record,
        time=format_time(record["time"]),
        sub_agent=record["window"] or None,
        domains=[
            report_of(DomainContribution, took, phrase=phrase_report(took.reason_phrase))
            for took in domains_in_reply(record)
        ],
        sections=[
            InjectedSection(
                id=section,
                entries=[
                    rules.get((name, identity))
                    or InjectedEntry(name=name, text=None, file=None, line=None)
                    for identity, name in _named_entries(record, section, written)
                ],
            )
            for section, written in record["sections"]
        ],
        cut=cut_rules(record),
        limited=limited_rules(record),
        block=state or None,
        text=text,
    )


def _named_entries(record: Record, section: str, written: str) -> Iterable[tuple[str, str]]:
    """Return (hash, name) of the entries of a section: what is taken back has the name of its
    heading, and other lines that are no rules that of the section.
    """
    entries = parse_entries(written)
    names = withdrawn_headings(record) if section == WITHDRAWN else []
    if len(names) == len(entries):
        return [(identity, name) for (identity, _), name in zip(entries, names, strict=True)]
    return [(identity, name or section) for identity, name in entries]


def withdrawn_headings(record: Record) -> list[str]:
    """Return the headings of which a reply of the injection log takes something back, by name."""
    return [heading.lstrip("[# ").partition("]")[0] for heading in record["withdrawn"]]


def session_histories(records: Iterable[Record]) -> Mapping[str, list[UsagePoint]]:
    """Return session -> what the injection log says of the prompts of its main window, the oldest
    of the last `MAX_POINTS` first.
    """
    histories: dict[str, list[UsagePoint]] = {}
    for record in records:
        points = histories.setdefault(record["session"], [])
        if not record["window"] and len(points) < MAX_POINTS:
            points.append(report_of(UsagePoint, record, time=format_time(record["time"])))
    return {session: points[::-1] for session, points in histories.items()}


def _sent_entries(record: Record) -> Iterable[tuple[str, str]]:
    return (entry for _, written in record["sections"] for entry in parse_entries(written))


_PUNCTUATION = "()[]{}<>,;:!?\"'“”‘’`*_.@#"
_MAX_WORDS = 3  # words of a phrase that is compared with keywords
_MAX_PHRASES = 200_000  # that are kept of prompts: beyond, only those that are known are counted


class ReplyStatistics:
    """Counts of what many replies of the hook have told. A prompt is a record of that kind; other
    replies tell, but are none.

    prompts_by_domain: label of a domain -> numbers of the prompts in which it took part;
    waking_prompts: those of them that woke it, and did not only follow such a one. reasons: label
    -> codes by which it did. sleeping_brackets: label -> brackets in which its keywords matched and
    it did not take part. keyword_matches: (label, keyword) -> prompts. prompt_phrases: words and
    phrases of prompts, where these are known. sent_entries, cut_entries: (name, hash) of rules ->
    replies.
    """

    def __init__(self) -> None:
        self.prompts = 0
        self.sessions: set[str] = set()
        self.first_time = self.last_time = 0.0
        self.sent_entries: Counter[NamedEntry] = Counter()
        self.cut_entries: Counter[NamedEntry] = Counter()
        self.prompts_by_domain: defaultdict[str, set[int]] = defaultdict(set)
        self.waking_prompts: defaultdict[str, set[int]] = defaultdict(set)
        self.reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.sleeping_brackets: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.keyword_matches: Counter[tuple[str, str]] = Counter()
        self.prompt_phrases: Counter[str] = Counter()
        self.knows_prompts = False

    def add(self, record: Record, prompt: str | None = None) -> None:
        """Count a reply; ``prompt`` is what it answered, None where nobody knows."""
        if record["session"]:
            self.sessions.add(record["session"])
        if record["time"]:
            self.first_time = min(self.first_time or record["time"], record["time"])
            self.last_time = max(self.last_time, record["time"])
        cut = chain.from_iterable(map(parse_entries, (record["cut"], record["limited"])))
        sent = _sent_entries(record)
        for counts, entries in ((self.sent_entries, sent), (self.cut_entries, cut)):
            counts.update((name, identity) for identity, name in entries if name)
        if record["kind"] != PROMPT:
            return
        self.prompts += 1
        taking_part = set()
        for took in domains_in_reply(record):
            taking_part.add(took.label)
            self.prompts_by_domain[took.label].add(self.prompts)
            self.reasons[took.label][took.reason_phrase.code] += 1
            if not took.reason_phrase.code.startswith("recalled"):
                self.waking_prompts[took.label].add(self.prompts)
        for label, words in record["matched"].items():
            self.keyword_matches.update((label, word) for word in words)
            if label not in taking_part:
                self.sleeping_brackets[label][record["bracket"]] += 1
        if prompt is not None:
            self.knows_prompts = True
            phrase_words = [
                w for word in fold_text(prompt).split() if (w := word.strip(_PUNCTUATION))
            ]
            for length in range(1, _MAX_WORDS + 1):
                for start in range(len(phrase_words) - length + 1):
                    phrase = " ".join(phrase_words[start : start + length])
                    if len(self.prompt_phrases) < _MAX_PHRASES or phrase in self.prompt_phrases:
                        self.prompt_phrases[phrase] += 1
