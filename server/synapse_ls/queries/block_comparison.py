"""This module compares two blocks of one tree, line by line: what was added, removed or changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.queries.context_report import EntryReport, entry_report, entry_reports
from synapse_ls.queries.situation_report import UsageReport, usage_report

if TYPE_CHECKING:
    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.block_sections import Entry, Section
    from synapse_ls.queries.context_question import Answer

    EntriesByName = dict[tuple[str, str], Entry]


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


class BlockDifference(NamedTuple):
    """The lines that only one of two compared blocks has, each in the order of its block.

    ``crowded`` are those of ``removed`` that the second block would have if they fitted,
    ``fitting`` those of ``added`` that did not fit into the first.
    """

    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    changed: tuple[tuple[Entry, Entry], ...]
    crowded: tuple[Entry, ...]
    fitting: tuple[Entry, ...]


def compare_blocks(before: Assembly, after: Assembly) -> BlockDifference:
    """Compares two blocks of one tree, and returns what differs."""
    was, now = _entries_by_name(before.sent_sections), _entries_by_name(after.sent_sections)
    was_wanted, now_wanted = (
        _entries_by_name(before.wanted_sections),
        _entries_by_name(after.wanted_sections),
    )
    added = {name: entry for name, entry in now.items() if name not in was}
    removed = {name: entry for name, entry in was.items() if name not in now}
    return BlockDifference(
        tuple(added.values()),
        tuple(removed.values()),
        tuple(
            (was[name], entry)
            for name, entry in now.items()
            if name in was and was[name].text != entry.text
        ),
        tuple(entry for name, entry in removed.items() if name in now_wanted),
        tuple(entry for name, entry in added.items() if name in was_wanted),
    )


def comparison_report(before: Answer, after: Answer) -> ComparisonReport:
    """Returns the report of a comparison: two blocks with their figures, and what differs."""
    found = compare_blocks(before.assembly, after.assembly)
    return ComparisonReport(
        before=_compared_block(before.assembly),
        after=_compared_block(after.assembly),
        added=entry_reports(found.added),
        removed=entry_reports(found.removed),
        changed=[
            ChangedEntry(before=entry_report(old), after=entry_report(new))
            for old, new in found.changed
        ],
        crowded=entry_reports(found.crowded),
        fitting=entry_reports(found.fitting),
    )


def _entries_by_name(sections: Iterable[Section]) -> EntriesByName:
    """Returns the lines of a block: a rule by its domain and key, what no file says by its section."""
    return {
        (entry.domain if entry.file else section.id, entry.key or entry.text): entry
        for section in sections
        for entry in section.entries
    }


def _compared_block(assembly: Assembly) -> ComparedBlock:
    return ComparedBlock(
        block=assembly.text,
        bracket=assembly.situation.bracket.name,
        usage=usage_report(assembly.situation.usage),
        budget=assembly.budget,
        tokens=assembly.tokens,
        over_budget=assembly.is_over_budget,
    )
