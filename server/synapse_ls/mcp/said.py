"""What a tool, a prompt or a resource has to say, as clean text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from synapse_ls.service.reports import at_work
from synapse_ls.text.counted import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.service.answer import Answer


class Said(NamedTuple):
    """An answer: for whoever reads, and for programs, which None has nothing for."""

    text: str
    data: dict[str, Any] | None = None


def clean(value: Any) -> Any:
    """``value`` without lone surrogates, which names of files can have and no message may."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value


def window_line(answer: Answer) -> str:
    """The bracket, what is left of the window, and what the block costs."""
    assembly = answer.assembly
    situation = assembly.situation
    return (
        f"{situation.bracket.name}: {situation.usage.remaining:g}% of the context window left "
        f"({situation.usage.source}); the block has {assembly.tokens} of {assembly.budget} tokens"
    )


def situation_lines(answer: Answer) -> list[str]:
    """Who is at work on what, and where that is known from; nothing of what is not known."""
    return [
        f"{what}: {value} ({source})" if source else f"{what}: {value}"
        for what, value, source in at_work(answer.plan, answer.assembly.situation)
        if value
    ]


def paragraphs(*groups: Iterable[str]) -> str:
    """Groups of lines, an empty line between those that have any."""
    return "\n\n".join("\n".join(lines) for group in groups if (lines := list(group)))


def note_lines(notes: Iterable[str]) -> list[str]:
    """Remarks."""
    return [f"note: {note}" for note in notes]


def rest(shown: int, total: int, what: str, how: str) -> list[str]:
    """A line about those that were left out, if any were."""
    return [f"… {counted(total - shown, what)} more; {how}"] if total > shown else []
