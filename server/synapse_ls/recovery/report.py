"""What there is to say of a session's recovery, as plain values; keys are never renamed or removed."""

from __future__ import annotations

import os
import shlex
from typing import Any

from synapse_ls.formats.continuation import Continuation
from synapse_ls.recovery import file
from synapse_ls.recovery.clients import COMMAND, command, level2, said
from synapse_ls.recovery.decision import Counters, Decision, decide
from synapse_ls.recovery.state import counters_of, standing
from synapse_ls.service import keeping, windows
from synapse_ls.workspace.folders import CONTINUATION


def recovery_report(root: str, session_id: str, given: Counters | None = None) -> dict[str, Any]:
    """How a session stands, whether it should go on, and how another would be begun.

    given: counters in the place of the session's own. Raises ServiceError and SessionError.
    """
    where = standing(root, session_id)
    counters = given or counters_of(where)
    decision = decide(counters)
    recovery = keeping.peek(where.session)
    done, due = recovery.get("done"), recovery.get(keeping.DUE)
    left = file.of_session(root, session_id)
    client = windows.latest(where.session)
    situation = where.situation
    return {
        "session": session_id,
        "client": client,
        "agent": situation.agent,
        "bracket": situation.bracket.name,
        "remaining": round(situation.usage.remaining, 1),
        "counters": counters._asdict(),
        "decision": decision_report(decision),
        "digest": done.get("digest") if isinstance(done, dict) else None,
        "due": due.get("reason") if isinstance(due, dict) else None,
        "continuation": CONTINUATION if left else None,
        "created": left.created if left else None,
        "level2": level2_report(client),
    }


def decision_report(decision: Decision) -> dict[str, Any]:
    """A decision with its reasons."""
    return {
        "action": decision.action,
        "reasons": [{"code": one.code, "why": one.sentence} for one in decision.reasons],
    }


def level2_report(client: str, file_name: str = CONTINUATION) -> dict[str, Any]:
    """How a new session is begun in a client."""
    row = level2(client)
    words = command(row, file_name)
    return {
        "client": row.client or client,
        "title": row.title,
        "kind": row.kind,
        "command": shlex.join(words) if row.kind == COMMAND else None,
        "say": said(row, file_name),
    }


def continuation_report(continuation: Continuation) -> dict[str, Any]:
    """A continuation as plain values, lists as lists."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in sorted(continuation.values().items())
        if name not in ("more", "others")
    }


def due_sessions(root: str) -> list[str]:
    """The sessions for which a digest is to be made."""
    from synapse_ls.service.inventory import sessions_folder
    from synapse_ls.sessions.archive import list_sessions
    from synapse_ls.sessions.store import SessionStore

    store = SessionStore(sessions_folder(root))
    found = []
    for info in list_sessions(os.path.abspath(store.folder)):
        session = store.load(info.session_id) if info.session_id else None
        if session is not None and keeping.is_due(session):
            found.append(info.session_id)
    return found
