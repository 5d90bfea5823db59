"""This module holds the result of a tool, a prompt or a resource as clean text, and the lines that
several of them share (context window, situation, notes).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from synapse_ls.queries.answer_lines import situation_lines
from synapse_ls.text.paragraphs import join_paragraphs
from synapse_ls.text.plural_counts import format_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.queries.context_question import Answer


class ToolResult(NamedTuple):
    """A ToolResult is what a tool answers: text for whoever reads, and data for programs, None
    where there is nothing for them.
    """

    text: str
    data: dict[str, Any] | None = None


def replace_surrogates(value: Any) -> Any:
    """Returns a tool's result without lone surrogates, which names of files can have and no message
    may.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {replace_surrogates(key): replace_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_surrogates(item) for item in value]
    return value


def window_line(answer: Answer) -> str:
    """Returns the line of a tool's result about the context window: the bracket, what is left of
    the window, and what the block costs.
    """
    assembly = answer.assembly
    situation = assembly.situation
    return (
        f"{situation.bracket.name}: {situation.usage.remaining:g}% of the context window left "
        f"({situation.usage.source}); the block has {assembly.tokens} of {assembly.budget} tokens"
    )


def answer_situation_lines(answer: Answer) -> list[str]:
    """Returns the lines of a tool's result about the situation: who is at work on what, and where
    that is known from; nothing of what is not known.
    """
    return [
        f"{what}: {value} ({source})" if source else f"{what}: {value}"
        for what, value, source in situation_lines(answer.plan, answer.assembly.situation)
        if value
    ]


def join_groups(*groups: Iterable[str]) -> str:
    """Returns the text of a tool's result: groups of lines as paragraphs, of those that have any."""
    return join_paragraphs(*map("\n".join, groups))


def note_lines(notes: Iterable[str]) -> list[str]:
    """Returns the lines of a tool's result with remarks."""
    return [f"note: {note}" for note in notes]


def omitted_lines(shown: int, total: int, noun: str, advice: str) -> list[str]:
    """Returns a line of a tool's result about those that were left out, if any were."""
    return [f"… {format_count(total - shown, noun)} more; {advice}"] if total > shown else []
