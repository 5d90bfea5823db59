"""Reports of a context block: parts, an account of each rule, and the difference of two blocks."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from synapse_ls.engine import block_assembly, block_renderer, block_sections, context_usage
from synapse_ls.engine.rule_account import DomainAccount, entry_tokens
from synapse_ls.queries import answer_lines, report_model
from synapse_ls.queries.context_question import Answer
from synapse_ls.queries.situation_report import (
    HintsReport,
    SituationReport,
    UsageReport,
    hints_report,
    situation_report,
    usage_report,
)

EntriesByName = dict[tuple[str, str], block_sections.Entry]


@dataclass(frozen=True, kw_only=True)
class EntryReport:
    """A line of a block in the report of a context. `key` is "" where it has none, as the lines of
    a task.
    """

    text: str
    key: str
    domain: str
    file: str
    line: int | None = field(metadata=report_model.LINE)
    tokens: int


@dataclass(frozen=True, kw_only=True)
class SectionReport:
    """A section of a block in the report of a context: a heading and the entries under it."""

    id: str
    layer: str
    heading: str
    tokens: int
    entries: list[EntryReport]


@dataclass(frozen=True, kw_only=True)
class DuplicateReport:
    """A rule that a context block would have in two places, in the block's report: the entry that
    was left out, and the one that stays.
    """

    left_out: EntryReport
    stays: EntryReport


@dataclass(frozen=True, kw_only=True)
class ContextReport:
    """The report of a context block, what it is made of, and what did not fit: `cuts` into the
    budget, `limited` into the client's hard limit. `unbounded`: no budget bounds it.
    """

    block: str
    bracket: str
    usage: UsageReport
    budget: int
    unbounded: bool
    tokens: int
    sections: list[SectionReport]
    cuts: list[EntryReport]
    limited: list[EntryReport]
    duplicates: list[DuplicateReport]
    over_budget: bool
    degraded: dict[str, str]
    memory: HintsReport
    notes: list[str]


def context_report(answer: Answer) -> ContextReport:
    """Return the report of a context block: what it is made of, and what did not fit."""
    assembly = answer.assembly
    return ContextReport(
        block=assembly.text,
        bracket=assembly.situation.bracket.name,
        usage=usage_report(assembly.situation.usage),
        budget=assembly.budget,
        unbounded=assembly.is_unbounded,
        tokens=assembly.tokens,
        sections=[
            report_model.report_of(
                SectionReport,
                section,
                tokens=context_usage.estimate_tokens(block_renderer.render_section(section)),
                entries=entry_reports(section.entries),
            )
            for section in assembly.sent_sections
        ],
        cuts=entry_reports(assembly.cut_entries),
        limited=entry_reports(assembly.limited_entries),
        duplicates=[
            DuplicateReport(left_out=entry_report(loser), stays=entry_report(winner))
            for loser, winner in assembly.duplicates
        ],
        over_budget=assembly.is_over_budget,
        degraded=dict(assembly.degraded_layers),
        memory=hints_report(assembly.situation),
        notes=list(answer_lines.answer_notes(answer)),
    )


def entry_report(entry: block_sections.Entry) -> EntryReport:
    """Return one line of a context block in its report; ``file`` is "" and ``line`` None for what
    no file says.
    """
    return report_model.report_of(
        EntryReport, entry, line=entry.line + 1 if entry.file else None, tokens=entry_tokens(entry)
    )


def entry_reports(entries: Iterable[block_sections.Entry]) -> list[EntryReport]:
    """Return lines of a context block in its report, in their order."""
    return [entry_report(entry) for entry in entries]


@dataclass(frozen=True, kw_only=True)
class RuleAccountReport:
    """What an explanation says of a rule: whether it is in the block, and why."""

    key: str
    text: str
    file: str
    line: int = field(metadata=report_model.LINE)
    tokens: int
    rendered: bool
    explanation: report_model.ReasonReport = field(metadata=report_model.INLINE)


@dataclass(frozen=True, kw_only=True)
class DomainAccountReport:
    """What an explanation says of a domain: by which layer it takes part (null: by none), or why
    not and what would change that. `read_by` are the clients that read its file by themselves.
    """

    label: str
    layer: str | None
    explanation: report_model.ReasonReport = field(metadata=report_model.INLINE)
    file: str = field(metadata=report_model.URI)
    manifest: str
    line: int = field(metadata=report_model.MANIFEST_LINE)
    rules: list[RuleAccountReport]
    read_by: list[str]


@dataclass(frozen=True, kw_only=True)
class ExplanationReport:
    """The report that explains a block: the situation, the layers that are awake in it, and the
    account of every domain and rule.
    """

    profile: str
    bracket: str
    usage: UsageReport
    budget: int
    tokens: int
    situation: SituationReport = field(metadata=report_model.INLINE)
    awake: list[str]
    cuts: list[EntryReport]
    over_budget: bool
    degraded: dict[str, str]
    domains: list[DomainAccountReport]
    memory: HintsReport
    notes: list[str]


def explain_report(answer: Answer, accounts: tuple[DomainAccount, ...]) -> ExplanationReport:
    """Return the report of an explanation: the situation, and the account of every domain and
    rule.
    """
    assembly = answer.assembly
    return ExplanationReport(
        profile=answer.plan.profile.name,
        bracket=assembly.situation.bracket.name,
        usage=usage_report(assembly.situation.usage),
        budget=assembly.budget,
        tokens=assembly.tokens,
        situation=situation_report(assembly.situation),
        awake=sorted(assembly.selection.awake),
        cuts=entry_reports(assembly.cut_entries),
        over_budget=assembly.is_over_budget,
        degraded=dict(assembly.degraded_layers),
        domains=[
            report_model.report_of(
                DomainAccountReport,
                account,
                explanation=report_model.reason_report(account.explanation),
                rules=[
                    report_model.report_of(
                        RuleAccountReport,
                        rule,
                        rendered=rule.is_rendered,
                        explanation=report_model.reason_report(rule.explanation),
                    )
                    for rule in account.rules
                ],
                read_by=list(account.read_by),
            )
            for account in accounts
        ],
        memory=hints_report(assembly.situation),
        notes=list(answer_lines.answer_notes(answer)),
    )


@dataclass(frozen=True, kw_only=True)
class ComparedBlock:
    """One block of a comparison of two."""

    block: str
    bracket: str
    usage: UsageReport
    budget: int
    tokens: int
    over_budget: bool


@dataclass(frozen=True, kw_only=True)
class ChangedEntry:
    """An entry that has another text in the second block of a comparison."""

    before: EntryReport
    after: EntryReport


@dataclass(frozen=True, kw_only=True)
class ComparisonReport:
    """The report of a comparison: two blocks, and the lines that only one of them has.

    `crowded` are those of the removed that still apply, but do not fit any more; `fitting` those
    of the added that applied before too, but did not fit.
    """

    before: ComparedBlock
    after: ComparedBlock
    added: list[EntryReport]
    removed: list[EntryReport]
    changed: list[ChangedEntry]
    crowded: list[EntryReport]
    fitting: list[EntryReport]


def comparison_report(before: Answer, after: Answer) -> ComparisonReport:
    """Return the report of a comparison: two blocks of one tree with their figures, and what
    differs, each in the order of its block.
    """
    old, new = before.assembly, after.assembly
    was, now = _entries_by_name(old.sent_sections), _entries_by_name(new.sent_sections)
    was_wanted = _entries_by_name(old.wanted_sections)
    now_wanted = _entries_by_name(new.wanted_sections)
    added = {name: entry for name, entry in now.items() if name not in was}
    removed = {name: entry for name, entry in was.items() if name not in now}
    return ComparisonReport(
        before=_compared_block(old),
        after=_compared_block(new),
        added=entry_reports(added.values()),
        removed=entry_reports(removed.values()),
        changed=[
            ChangedEntry(before=entry_report(was[name]), after=entry_report(entry))
            for name, entry in now.items()
            if name in was and was[name].text != entry.text
        ],
        crowded=entry_reports(entry for name, entry in removed.items() if name in now_wanted),
        fitting=entry_reports(entry for name, entry in added.items() if name in was_wanted),
    )


def _entries_by_name(sections: Iterable[block_sections.Section]) -> EntriesByName:
    """Return the lines of a block: a rule by its domain and key, what no file says by its
    section.
    """
    return {
        (entry.domain if entry.file else section.id, entry.key or entry.text): entry
        for section in sections
        for entry in section.entries
    }


def _compared_block(assembly: block_assembly.Assembly) -> ComparedBlock:
    return ComparedBlock(
        block=assembly.text,
        bracket=assembly.situation.bracket.name,
        usage=usage_report(assembly.situation.usage),
        budget=assembly.budget,
        tokens=assembly.tokens,
        over_budget=assembly.is_over_budget,
    )
