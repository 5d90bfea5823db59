"""This module reports the sessions of a tree."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.queries.report_model import LEFT_OUT, URI

if TYPE_CHECKING:
    from synapse_ls.storage.session_archive import SessionInfo


@dataclass(frozen=True, kw_only=True)
class UsagePoint:
    """What the report of a session has of a prompt: what was left of the context window, in
    percent, and the tokens of the reply.
    """

    time: str
    remaining: float
    source: str
    used: int | None
    tokens: int


@dataclass(frozen=True, kw_only=True)
class SessionReport:
    """The report of a session, a summary; `history` has its last prompts, the oldest first.

    `id` is null for a file that holds no session; `problem` says why.
    """

    id: str | None
    title: str | None
    label: str | None
    last_activity: str
    prompts: int
    bracket: str | None
    agent: str | None
    file: str = field(metadata=URI)
    problem: str | None
    history: list[UsagePoint] = LEFT_OUT


@dataclass(frozen=True, kw_only=True)
class SessionsReport:
    """The report of all sessions, the latest first, and the ids of the one that is followed and of
    the one that is pinned.
    """

    sessions: list[SessionReport]
    current: str | None
    pinned: str | None


def session_report(
    info: SessionInfo, root: str, history: list[UsagePoint] = LEFT_OUT
) -> SessionReport:
    """Returns the report of a session as a list shows it."""
    return SessionReport(
        id=info.session_id or None,
        title=info.title or None,
        label=info.label or None,
        last_activity=format_time(info.last_activity),
        prompts=info.prompt_count,
        bracket=info.bracket or None,
        agent=info.agent or None,
        file=os.path.relpath(info.path, root).replace(os.sep, "/"),
        problem=info.problem or None,
        history=history,
    )


def format_time(seconds: float) -> str:
    """Writes a moment, in seconds since 1970, as reports of sessions have it: ISO 8601 in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
