"""The situation of an answer in a few aligned lines, as `explain` and `status` begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.service.reports import at_work
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from synapse_ls.service.answer import Answer

Row = tuple[str, list[Part]]

_BRACKETS = {"none": "good", "summary": "warn", "full": "bad"}  # by what memory they disclose


def window_rows(answer: Answer) -> list[Row]:
    """Bracket and cost."""
    assembly = answer.assembly
    usage, bracket = assembly.situation.usage, assembly.situation.bracket
    left: list[Part] = [Styled(bracket.name, "title"), f" · {usage.percent}% left ({usage.told})"]
    if usage.used is not None and usage.window:
        left.append(f" · {usage.used:,} of {usage.window:,} tokens used")
    block: list[Part] = [f"{assembly.tokens} of {assembly.budget} tokens"]
    if assembly.over_budget:
        block.append(Styled(" · over the budget", "bad"))
    elif assembly.tokens > assembly.budget:
        block.append(", the debug view outside of the budget")
    if assembly.cut:
        block.append(Styled(f" · {counted(len(assembly.cut), 'rule')} cut", "warn"))
    if assembly.limited:
        block.append(Styled(f" · {len(assembly.limited)} more for the client's limit", "bad"))
    return [("window", left), ("block", block)]


def situation_rows(answer: Answer) -> list[Row]:
    """Who is at work on what, with the source of each."""
    rows: list[Row] = []
    for name, value, source in at_work(answer.plan, answer.assembly.situation):
        told: list[Part] = [value, Styled(f" ({source})" if source else "", "dim")]
        rows.append((name, told if value else [Styled("none", "dim")]))
    return rows


def aligned(rows: list[Row]) -> list[list[Part]]:
    """The rows as lines, their values in one column."""
    longest = max(len(name) for name, _ in rows) + 2
    return [[Styled(f"{name:<{longest}}", "dim"), *value] for name, value in rows]
