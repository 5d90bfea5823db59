"""This module decides the occasion of a greeting (the session type): somebody begins, goes on, or
is in the middle of a workflow (ADR-001 C6, C8).
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.storage.session_archive import parse_moment
from synapse_ls.storage.session_state import SessionState

NEW, EXISTING, WORKFLOW = "new", "existing", "workflow"
OCCASIONS = (NEW, EXISTING, WORKFLOW)
IDLE_SECONDS = 3600.0
"""Seconds without a prompt after which somebody begins anew."""


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """A SessionHistory is what a session knows of its past, by which the occasion of a greeting is
    told.

    ``used``: star-commands, the last one last; ``running``: those of its last prompt. ``previous``:
    the agent that was active before this one, "" for none.
    """

    prompts: int = 0
    used: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    previous: str = ""
    active: str = ""
    is_idle: bool = False


def read_history(session: SessionState | None, agent: str, now: float) -> SessionHistory:
    """Reads, for the occasion of a greeting, the past of ``session``, None for one that begins;
    ``now`` in seconds since 1970.
    """
    if session is None:
        return SessionHistory()
    last = parse_moment(session.last_activity)
    before = [name for name in session.history.agents if name != agent]
    return SessionHistory(
        prompts=session.prompt_count,
        used=session.history.star_commands,
        running=session.find_window(session.latest_window_key()).commands,
        previous=before[-1] if before else "",
        active=session.agent.id or "",
        is_idle=last is not None and now - last > IDLE_SECONDS,
    )


def choose_occasion(history: SessionHistory, *, in_workflow: bool) -> tuple[str, str]:
    """Returns the occasion of a greeting and why, as a sentence part."""
    if not history.prompts and not history.used:
        return NEW, "the session has no prompt yet"
    if history.is_idle:
        return NEW, "the last prompt of the session was more than an hour ago"
    if in_workflow:
        return WORKFLOW, "a workflow is under way"
    return EXISTING, "the session goes on, and no workflow is under way"
