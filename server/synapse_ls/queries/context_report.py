"""This module reports a context block: its text, the sections and entries it is made of, and what
did not fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.token_estimate import estimate_tokens, tokens_of_length
from synapse_ls.queries.answer_lines import answer_notes
from synapse_ls.queries.report_model import LINE
from synapse_ls.queries.situation_report import (
    HintsReport,
    UsageReport,
    hints_report,
    usage_report,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.block_sections import Entry, Section
    from synapse_ls.queries.context_question import Answer


@dataclass(frozen=True, kw_only=True)
class EntryReport:
    """A line of a block in the report of a context. `key` is "" where it has none, as the lines of
    a task.
    """

    text: str
    key: str
    domain: str
    file: str
    line: int | None = field(metadata=LINE)
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
    budget, `limited` into the client's hard limit.
    """

    block: str
    bracket: str
    usage: UsageReport
    budget: int
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
    """Returns the report of a context block: what it is made of, and what did not fit."""
    assembly = answer.assembly
    return ContextReport(
        block=assembly.text,
        bracket=assembly.situation.bracket.name,
        usage=usage_report(assembly.situation.usage),
        budget=assembly.budget,
        tokens=assembly.tokens,
        sections=[_section_report(section) for section in assembly.sent_sections],
        cuts=entry_reports(assembly.cut_entries),
        limited=entry_reports(assembly.limited_entries),
        duplicates=[
            DuplicateReport(left_out=entry_report(loser), stays=entry_report(winner))
            for loser, winner in assembly.duplicates
        ],
        over_budget=assembly.is_over_budget,
        degraded=dict(assembly.degraded_layers),
        memory=hints_report(assembly.situation),
        notes=list(answer_notes(answer)),
    )


def entry_report(entry: Entry) -> EntryReport:
    """Returns one line of a context block in its report; ``file`` is "" and ``line`` None for what
    no file says.
    """
    return EntryReport(
        text=entry.text,
        key=entry.key,
        domain=entry.domain,
        file=entry.file,
        line=entry.line + 1 if entry.file else None,
        tokens=tokens_of_length(len(entry.prefix) + len(entry.text) + 1),
    )


def entry_reports(entries: Iterable[Entry]) -> list[EntryReport]:
    """Returns lines of a context block in its report, in their order."""
    return [entry_report(entry) for entry in entries]


def _section_report(section: Section) -> SectionReport:
    return SectionReport(
        id=section.id,
        layer=section.layer,
        heading=section.heading,
        tokens=estimate_tokens(render_section(section)),
        entries=entry_reports(section.entries),
    )
