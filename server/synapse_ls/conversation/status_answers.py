"""Answers to ``*synapse status`` and ``session``, and the lines that other answers share."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.conversation.synapse_commands import CommandRequest
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.context_usage import DEFAULT, ESTIMATED, INVALID
from synapse_ls.engine.situation import Situation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.state_values import parse_switch
from synapse_ls.hooks.window_reply import ComposedBlock
from synapse_ls.queries.answer_lines import answer_notes, cost_line, situation_lines, tree_counts
from synapse_ls.text.phrases import format_count

TITLE_LENGTH = 80  # code points of a title that somebody else may have written


def answer_status(request: CommandRequest) -> list[str]:
    """Answer ``*synapse status``: return the state that this prompt is answered in, and what its
    block costs without this answer.
    """
    composed = request.composed
    assembly = composed.assembly
    return [
        f"profile: {composed.plan.profile.name}",
        window_line(assembly.situation),
        block_line(assembly),
        *_situation_lines(composed),
        (
            "session: "
            f"{', '.join(filter(None, (_turn_text(request), _quoted_title(request.session))))}"
        ),
        f"tree: {tree_counts(composed)}",
        f"debug view: {'on' if assembly.situation.devmode else 'off'}",
        *note_lines(composed),
    ]


def answer_session(request: CommandRequest) -> list[str]:
    """Answer ``*synapse session``: return the session, and what stands in the windows of its
    agents.
    """
    session = request.session
    situation = request.composed.assembly.situation
    switches = [
        f"{key} {'on' if on else 'off'}"
        for key, value in {**situation.overrides, **situation.switched}.items()
        if (on := parse_switch(value)) is not None
    ]
    # What stands in each window, by heading.
    lines = []
    for name, window in session.windows() if session else ():
        counts = {
            heading.partition("]")[0].lstrip("["): len(records)
            for heading, records in window.standing.items()
            if records
        }
        if counts:
            listed = ", ".join(f"{heading} {count}" for heading, count in counts.items())
            lines.append(f"{name} got {format_count(sum(counts.values()), 'line')}: {listed}")
    return [
        f"id: {(session and session.id) or 'none yet'}",
        f"title: {_quoted_title(session) or 'none yet'}",
        f"prompts: {_turn_text(request)}",
        window_line(situation),
        *_situation_lines(request.composed),
        *([f"switched for this session: {', '.join(switches)}"] if switches else []),
        *(lines or ["nothing that was injected before this prompt is in context"]),
    ]


def window_line(situation: Situation) -> str:
    """Return the line of ``*synapse status`` about the window: bracket, percentage, and the tokens
    that are known to be in use.
    """
    usage, bracket = situation.usage, situation.bracket
    if usage.source == INVALID:
        return f"window: {bracket.name}, how much is left is not known"
    source = "estimated" if usage.source in (DEFAULT, ESTIMATED) else usage.origin
    return f"window: {bracket.name}, {usage.percent_text}% left{f' ({source})' if source else ''}"


def block_line(assembly: Assembly) -> str:
    """Return the line of ``*synapse status`` about the block: what it costs, or what is new with
    this prompt, and what does not fit in it.
    """
    return f"{'new now' if assembly.standing else 'block'}: {cost_line(assembly)}"


def note_lines(composed: ComposedBlock) -> Iterator[str]:
    """Yield the lines of ``*synapse status`` about what is odd or could not be read."""
    for note in answer_notes(composed):
        yield f"note: {note}"


def _situation_lines(composed: ComposedBlock) -> Iterator[str]:
    for what, value, source in situation_lines(composed.plan, composed.assembly.situation):
        yield f"{what}: {value or 'none'}" + (f" ({source})" if source else "")


def _quoted_title(session: SessionState | None) -> str:
    title = session.title if session else None
    if not title:
        return ""
    return f"“{title}”" if len(title) <= TITLE_LENGTH else f"“{title[:TITLE_LENGTH]}…”"


def _turn_text(request: CommandRequest) -> str:
    turn = request.composed.assembly.situation.turn
    return f"this is prompt {turn:,}" if turn > 1 else "this is the first prompt"
