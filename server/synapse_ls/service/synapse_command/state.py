"""``*synapse status`` and ``session``: what prompts are answered with, and what was told so far."""

from __future__ import annotations

from synapse_ls.engine.usage import DEFAULT, ESTIMATED, INVALID
from synapse_ls.formats.switches import switch
from synapse_ls.service.reports import at_work, notes_of
from synapse_ls.text.counted import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Situation
    from synapse_ls.service.compose import Composed
    from synapse_ls.service.synapse_command.run import Asked

TITLE_LENGTH = 80  # code points of a title that somebody else may have written


def status(asked: Asked) -> list[str]:
    """The state that this prompt is answered in, and what its block costs without this answer."""
    found = asked.found
    assembly = found.assembly
    return [
        f"profile: {found.plan.profile.name}",
        window(assembly.situation),
        block(assembly),
        *_at_work(found),
        f"session: {_turn(asked)}" + (f", {title}" if (title := _title(asked.session)) else ""),
        f"tree: {in_tree(found)}",
        f"debug view: {'on' if assembly.situation.devmode else 'off'}",
        *notes(found),
    ]


def session(asked: Asked) -> list[str]:
    """The session, and what stands in the windows of its agents."""
    document = asked.session
    situation = asked.found.assembly.situation
    return [
        f"id: {document.get('uuid') or 'none yet'}",
        f"title: {_title(document) or 'none yet'}",
        f"prompts: {_turn(asked)}",
        window(situation),
        *_at_work(asked.found),
        *_overrides(situation),
        *_told(document),
    ]


def window(situation: Situation) -> str:
    """Bracket and percentage, and the tokens that are known to be in use."""
    usage, bracket = situation.usage, situation.bracket
    if usage.source == INVALID:
        return f"window: {bracket.name}, how much is left cannot be told"
    known = "estimated" if usage.source in (DEFAULT, ESTIMATED) else usage.origin
    return f"window: {bracket.name}, {usage.percent}% left{f' ({known})' if known else ''}"


def block(assembly: Assembly) -> str:
    """What the block costs, and what does not fit in it."""
    parts = [f"block: {assembly.tokens:,} of {assembly.budget:,} tokens"]
    if assembly.over_budget:
        parts.append("over the budget with what may not be cut")
    if assembly.cut:
        parts.append(f"{counted(len(assembly.cut), 'rule')} cut")
    return ", ".join(parts)


def in_tree(found: Composed) -> str:
    """How many domains and rules there are, and how many of them are in the block."""
    inside = {
        (entry.domain, entry.file, entry.line)
        for section in found.assembly.sent
        for entry in section.entries
        if entry.file and entry.domain in found.plan.labels
    }
    domains = found.plan.domains()
    rules = sum(len(domain.rows) for domain in domains)
    taking_part = len({label for label, _, _ in inside})
    return (
        f"{counted(len(domains), 'domain')}, {counted(rules, 'rule')}; "
        f"{taking_part:,} and {len(inside):,} of them in the block"
    )


def notes(found: Composed) -> Iterator[str]:
    """What is odd or could not be read."""
    for note in notes_of(found):
        yield f"note: {note}"


def _at_work(found: Composed) -> Iterator[str]:
    for what, value, source in at_work(found.plan, found.assembly.situation):
        yield f"{what}: {value or 'none'}" + (f" ({source})" if source else "")


def _title(document: Mapping[str, Any]) -> str:
    title = document.get("title")
    if not isinstance(title, str) or not title:
        return ""
    return f"“{title}”" if len(title) <= TITLE_LENGTH else f"“{title[:TITLE_LENGTH]}…”"


def _turn(asked: Asked) -> str:
    turn = asked.found.assembly.situation.turn
    return f"this is prompt {turn:,}" if turn > 1 else "this is the first prompt"


def _overrides(situation: Situation) -> Iterator[str]:
    switched = {**situation.overrides, **situation.switched}
    told = [
        f"{key} {'on' if on else 'off'}"
        for key, value in switched.items()
        if (on := switch(value)) is not None
    ]
    if told:
        yield f"switched for this session: {', '.join(told)}"


def _told(document: Mapping[str, Any]) -> list[str]:
    """What stands in each window, by heading."""
    windows = document.get("windows")
    lines = []
    for name, kept in windows.items() if isinstance(windows, dict) else ():
        stands = kept.get("stands") if isinstance(kept, dict) else None
        counts = {
            heading.partition("]")[0].lstrip("["): len(known)
            for heading, known in (stands.items() if isinstance(stands, dict) else ())
            if isinstance(known, dict) and known
        }
        if counts:
            listed = ", ".join(f"{heading} {count}" for heading, count in counts.items())
            lines.append(f"{name} was told {counted(sum(counts.values()), 'line')}: {listed}")
    return lines or ["nothing that was told before this prompt stands"]
