"""Whether somebody begins, goes on, or is in the middle of a workflow (ADR-001 C6, C8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synapse_ls.service import windows
from synapse_ls.sessions.archive import moment

NEW, EXISTING, WORKFLOW = "new", "existing", "workflow"
OCCASIONS = (NEW, EXISTING, WORKFLOW)
IDLE = 3600.0
"""Seconds without a prompt after which somebody begins anew."""


@dataclass(frozen=True, slots=True)
class History:
    """What a session knows of its past.

    ``used``: star-commands, the last one last; ``running``: those of its last prompt. ``previous``:
    the agent that was active before this one, "" for none.
    """

    prompts: int = 0
    used: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    previous: str = ""
    active: str = ""
    is_idle: bool = False


def history_of(session: Mapping[str, Any] | None, agent: str, now: float) -> History:
    """The past of ``session``, None for one that begins; ``now`` in seconds since 1970."""
    if session is None:
        return History()
    ledger = session.get("history")
    ledger = ledger if isinstance(ledger, dict) else {}
    last = moment(session.get("last_activity"))
    count = session.get("prompt_count")
    window = windows.peek(session, windows.latest(session))
    active = session.get("active_agent")
    before = [name for name in _texts(ledger.get("agents_activated")) if name != agent]
    return History(
        prompts=count if isinstance(count, int) else 0,
        used=_texts(ledger.get("star_commands_used")),
        running=_texts(window.get("commands")),
        previous=before[-1] if before else "",
        active=str(active.get("id") or "") if isinstance(active, dict) else "",
        is_idle=last is not None and now - last > IDLE,
    )


def occasion_of(history: History, *, in_workflow: bool) -> tuple[str, str]:
    """The occasion and why, as a sentence part."""
    if not history.prompts and not history.used:
        return NEW, "the session has no prompt yet"
    if history.is_idle:
        return NEW, "the last prompt of the session was more than an hour ago"
    if in_workflow:
        return WORKFLOW, "a workflow is under way"
    return EXISTING, "the session goes on, and no workflow is under way"


def _texts(value: object) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()
