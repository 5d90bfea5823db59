"""Answers about a block beyond itself: why, what differs, whether tests hold, what agents were told.

As in `answers`, every field is listed and what is not listed is not sent.
"""

from __future__ import annotations

import attrs

from synapse_ls.lsp.answers import PLACE, Entry, Location, Phrase, Range, Usage


@attrs.frozen(kw_only=True)
class WhyAccount:
    """What becomes of a rule, a memory, or a domain as a whole (``key`` null), and why."""

    key: str | None
    domain: str
    layer: str | None
    text: str | None
    rendered: bool
    reason: str
    because: list[Phrase]
    remedy: str
    change: Phrase | None
    attempt: dict[str, str] | None
    tokens: int
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class WhyAnswer:
    """``synapse/why``: the accounts of what was asked about, in the current situation."""

    bracket: str
    accounts: list[WhyAccount]


@attrs.frozen(kw_only=True)
class GuardRule:
    """The boundary that decided, and what it names."""

    name: str
    pattern: str
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class GuardAnswer:
    """``synapse/guard``: "allow", "ask" or "deny"; about which part, why, and who may."""

    decision: str
    agent: str | None
    mode: str
    what: str | None
    reason: str | None
    delegate: str | None
    rule: GuardRule | None


@attrs.frozen(kw_only=True)
class Compared:
    """One of two blocks that are compared."""

    block: str
    bracket: str
    usage: Usage
    budget: int
    tokens: int
    over_budget: bool


@attrs.frozen(kw_only=True)
class ChangedEntry:
    """A line that says something else in the second block."""

    before: Entry
    after: Entry


@attrs.frozen(kw_only=True)
class CompareAnswer:
    """``synapse/compare``: two blocks, and the lines that only one of them has.

    ``crowded`` are those of the removed that still apply, but do not fit any more; ``fitting`` those
    of the added that applied before too, but did not fit.
    """

    before: Compared
    after: Compared
    added: list[Entry]
    removed: list[Entry]
    changed: list[ChangedEntry]
    crowded: list[Entry]
    fitting: list[Entry]


@attrs.frozen(kw_only=True)
class TestCase:
    """A case of a file of tests; ``number`` counts from 0."""

    number: int
    name: str
    range: Range


@attrs.frozen(kw_only=True)
class TestFile:
    """A file of tests; ``problem`` says why it has no cases where it cannot be read."""

    uri: str
    cases: list[TestCase]
    problem: str | None


@attrs.frozen(kw_only=True)
class TestsAnswer:
    """``synapse/tests``: the files of tests, sorted by path."""

    files: list[TestFile]


@attrs.frozen(kw_only=True)
class TestFailure:
    """An expectation that does not hold."""

    range: Range
    message: str
    remedy: str | None


@attrs.frozen(kw_only=True)
class TestOutcome:
    """What came of a case. ``bracket`` and ``tokens`` are those of the block it met."""

    uri: str
    number: int
    name: str
    passed: bool
    bracket: str
    tokens: int
    failures: list[TestFailure]


@attrs.frozen(kw_only=True)
class RunTestsAnswer:
    """``synapse/runTests``: what came of each case."""

    outcomes: list[TestOutcome]


@attrs.frozen(kw_only=True)
class InjectedEntry:
    """A line that an agent was told; ``text`` is null where no rule says it any more."""

    name: str
    text: str | None
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class InjectedSection:
    """What was told under one heading."""

    id: str
    entries: list[InjectedEntry]


@attrs.frozen(kw_only=True)
class TookPart:
    """A domain that took part, and why: ``code`` and ``values`` are those of a ``Phrase``."""

    layer: str
    label: str
    reason: str
    code: str
    values: list[str]


@attrs.frozen(kw_only=True)
class Injection:
    """One reply of the hook. ``subAgent`` is the sub-agent whose window it went to.

    ``why``: the reason for a full block, null for a difference. ``arrived``: whether the client's
    transcript shows it. ``block``: what became of its text.
    """

    time: str
    session: str | None
    client: str
    event: str
    sub_agent: str | None
    bracket: str
    remaining: float
    source: str
    used: int | None
    tokens: int
    budget: int
    sections: list[InjectedSection]
    cuts: int
    hash: str
    turn: int | None
    agent: str | None
    workflow: str | None
    phase: str | None
    why: str | None
    arrived: bool | None
    domains: list[TookPart]
    cut: list[str]
    limited: list[str]
    block: str | None
    text: str | None


@attrs.frozen(kw_only=True)
class InjectionsAnswer:
    """``synapse/injections``: what agents were told, the latest first."""

    injections: list[Injection]
