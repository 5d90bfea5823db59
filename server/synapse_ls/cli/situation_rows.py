"""This module renders the situation of an answer (window, block, agent, task …) in a few aligned
rows, as `explain` and `status` begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.queries.answer_lines import situation_lines
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from synapse_ls.queries.context_question import Answer

Row = tuple[str, list[Part]]

_DISCLOSURE_STYLES = {
    "none": "good",
    "summary": "warn",
    "full": "bad",
}  # by what memory they disclose


def window_rows(answer: Answer) -> list[Row]:
    """Returns the rows of a situation about the bracket and the cost of the block."""
    assembly = answer.assembly
    usage, bracket = assembly.situation.usage, assembly.situation.bracket
    left: list[Part] = [
        Styled(bracket.name, "title"),
        f": {usage.percent_text}% of the context window left ({usage.source_label})",
    ]
    if usage.used is not None and usage.window:
        left.append(f" · {usage.used:,} of {usage.window:,} tokens used")
    block: list[Part] = [f"{assembly.tokens} of {assembly.budget} tokens"]
    if assembly.is_over_budget:
        block.append(Styled(" · over the budget", "bad"))
    elif assembly.tokens > assembly.budget:
        block.append(", the debug view outside of the budget")
    left_out = len(assembly.cut_entries) + len(assembly.limited_entries)
    if assembly.follows:
        block.append(f" · {format_count(left_out, 'line')} to follow" if left_out else "")
        return [("bracket", left), ("reply", block)]
    if assembly.cut_entries:
        block.append(Styled(f" · {format_count(len(assembly.cut_entries), 'line')} cut", "warn"))
    if assembly.limited_entries:
        block.append(
            Styled(f" · {len(assembly.limited_entries)} more for the client's limit", "bad")
        )
    return [("bracket", left), ("block", block)]


def situation_rows(answer: Answer) -> list[Row]:
    """Returns the rows of a situation about who is at work on what, with the source of each."""
    rows: list[Row] = []
    for name, value, source in situation_lines(answer.plan, answer.assembly.situation):
        told: list[Part] = [value, Styled(f" ({source})" if source else "", "dim")]
        rows.append((name, told if value else [Styled("none", "dim")]))
    return rows


def align_rows(rows: list[Row]) -> list[list[Part]]:
    """Returns the rows of a situation as lines, their values in one column."""
    longest = max(len(name) for name, _ in rows) + 2
    return [[Styled(f"{name:<{longest}}", "dim"), *value] for name, value in rows]
