"""This module examines the session that the report is about: what is known of it, and how."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject
from synapse_ls.storage.session_archive import newest_session, parse_moment
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.tree_folders import SESSIONS

_CLIENT_SOURCES = ("measured", "reported")
"""Sources of the usage that rest on what a client says."""


def examine(subject: Subject) -> SectionResult:
    """Examines the session, its agent, its bracket and where that comes from."""
    situation = subject.situation
    usage = situation.usage
    data = {
        "session": subject.session.id if subject.session else None,
        "prompts": situation.turn - 1,
        "agent": situation.agent or None,
        "bracket": situation.bracket.name,
        "remaining": usage.remaining,
        "source": usage.source,
    }
    return SectionResult(tuple(_session_checks(subject)), data)


def _session_checks(subject: Subject) -> Iterator[Check]:
    session, situation = subject.session, subject.situation
    if session is None:
        yield _new_session_check(subject)
    else:
        prompts = format_count(situation.turn - 1, "prompt")
        yield Check("ok", f"session {session.id}: {prompts}")
        since = parse_moment(session.last_activity)
        idle = (time.time() - since) / 3600 if since is not None else 0.0
        if idle > subject.plan.settings["stale_hours"]:
            yield Check(
                "warning",
                f"nobody has used it for {idle:.0f} hours",
                "Run `synapse session clean`, or name the session that is meant.",
            )
    usage, bracket = situation.usage, situation.bracket
    said = f"{bracket.name}: {usage.percent_text}% of the window left ({usage.source_label})"
    if usage.source == "invalid":
        yield Check("error", said, "Look at what the client reports: `synapse log --last 1`.")
    elif usage.source in _CLIENT_SOURCES:
        yield Check("ok", said)
    else:
        yield Check("info" if session is None else "unknown", f"{said}; no client has told more")
    if situation.agent:
        yield Check("ok", f"@{situation.agent} is active ({situation.agent_source})")
    else:
        yield Check("info", "no agent is active, so no agent's rules are told")
    for note in (*usage.notes, *situation.notes):
        yield Check("warning", note.removesuffix("."), "Correct what was named.")


def _new_session_check(subject: Subject) -> Check:
    folder = str(Path(subject.root, SESSIONS))
    latest = newest_session(folder, subject.plan.settings["stale_hours"], now=time.time())
    if latest is None:
        return Check("info", "no session is going on, so this is about a new one")
    name = latest.session_id
    return Check("info", f"this is about a new session; the latest is {name} (`--session {name}`)")
