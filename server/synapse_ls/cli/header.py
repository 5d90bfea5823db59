"""The situation of an answer in a few aligned lines, as `explain` and `status` begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.service.reports import story_of

if TYPE_CHECKING:
    from synapse_ls.service.answer import Answer

Row = tuple[str, list[Part]]

_SOURCES = {
    "given": "given",
    "prompt": "from the prompt",
    "session": "from the session",
    "state": "from the workflow's state file",
    "agent": "the agent's own",
    "command": "from the prompt's command",
}
_BRACKETS = {"none": "good", "summary": "warn", "full": "bad"}  # by what memory they disclose


def window_rows(answer: Answer) -> list[Row]:
    """Bracket and cost."""
    assembly = answer.assembly
    usage, bracket = assembly.situation.usage, assembly.situation.bracket
    left: list[Part] = [Styled(bracket.name, "title"), f" · {usage.percent}% left ({usage.source})"]
    if usage.used is not None and usage.window:
        left.append(f" · {usage.used:,} of {usage.window:,} tokens used")
    block: list[Part] = [f"{assembly.tokens} of {assembly.budget} tokens"]
    if assembly.over_budget:
        block.append(Styled(" · over the budget", "bad"))
    if assembly.cut:
        block.append(Styled(f" · {counted(len(assembly.cut), 'rule')} cut", "warn"))
    if assembly.limited:
        block.append(Styled(f" · {len(assembly.limited)} more for the client's limit", "bad"))
    return [("window", left), ("block", block)]


def situation_rows(answer: Answer) -> list[Row]:
    """Who is at work on what, with the source of each."""
    s = answer.assembly.situation
    phase = [f"phase {s.phases[0]}"] if s.phases else []
    story = story_of(s)
    task = [f"story {story}"] if story and story != s.task else []
    task += [f"executor {s.executor}"] if s.executor else []
    return [
        ("agent", _sourced(f"@{s.agent}" if s.agent else "", s.agent_source)),
        ("workflow", _sourced(s.workflow_written, s.workflow_source, phase)),
        ("task", _sourced(s.task, s.task_source, task)),
        ("squad", _sourced(s.squad, s.squad_source)),
    ]


def aligned(rows: list[Row]) -> list[list[Part]]:
    """The rows as lines, their values in one column."""
    longest = max(len(name) for name, _ in rows) + 2
    return [[Styled(f"{name:<{longest}}", "dim"), *value] for name, value in rows]


def counted(number: int, noun: str) -> str:
    """``1 rule``, ``2 rules``."""
    return f"{number} {noun}" + "s" * (number != 1)


def _sourced(value: str, source: str, more: list[str] | None = None) -> list[Part]:
    if not value:
        return [Styled("none", "dim")] if not more else [", ".join(more)]
    told = _SOURCES.get(source, source)
    return [
        value,
        *(f", {part}" for part in more or ()),
        Styled(f" ({told})" if told else "", "dim"),
    ]
