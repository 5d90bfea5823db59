"""Report the recovery of a session as plain values, whose keys are never renamed or removed.

Counters, hand-off decision, digest, continuation, and how a new session is started.
"""

import shlex
from typing import Any

from synapse_ls.formats.continuation_file import Continuation
from synapse_ls.hooks import session_continuation, session_recovery
from synapse_ls.integrations import session_commands
from synapse_ls.memory import continuations

_FOREIGN = "No session of yours has left {file}. `synapse handoff` puts yours in its place."


def recovery_report(
    root: str, session_id: str, counters_given: session_recovery.SessionCounters | None = None
) -> dict[str, Any]:
    """Return the report of a session's recovery: how it stands, whether it should go on, and how a
    new one would be started.

    counters_given: counters in the place of the session's own. Raises UserError and StorageError.
    """
    where = session_continuation.read_standing(root, session_id)
    counters = counters_given or session_continuation.count_for_handoff(where)
    decision = session_recovery.decide_handoff(counters)
    done, due = where.session.recovery.done, where.session.recovery.due
    is_foreign = continuations.is_latest_foreign(root)
    continuation = None if is_foreign else continuations.continuation_of_session(root, session_id)
    client = where.session.latest_window_key()
    situation = where.situation
    return {
        "session": session_id,
        "client": client,
        "agent": situation.agent,
        "bracket": situation.bracket.name,
        "remaining": round(situation.usage.remaining, 1),
        "counters": counters._asdict(),
        "decision": {
            "action": decision.action,
            "reasons": [
                {"code": reason.code, "why": reason.sentence} for reason in decision.reasons
            ],
        },
        "digest": done.digest if done else None,
        "due": due.reason if due else None,
        "continuation": continuations.continuation_place(root) if continuation else None,
        "created": continuation.created if continuation else None,
        "level2": session_start_report(root, client),
    }


def session_start_report(root: str, client: str) -> dict[str, Any]:
    """Return the part of a recovery's report on how a new session is started in a client."""
    row = session_commands.session_start_of(client)
    file_name = continuations.continuation_place(root)
    words = session_commands.start_command(row, file_name)
    command = shlex.join(words) if row.kind == session_commands.COMMAND else None
    say = session_commands.start_instruction(row, file_name)
    if continuations.is_latest_foreign(root):
        command, say = None, _FOREIGN.format(file=file_name)
    return {
        "client": row.client or client,
        "title": row.title,
        "kind": row.kind,
        "command": command,
        "say": say,
    }


def continuation_report(continuation: Continuation) -> dict[str, Any]:
    """Return the part of a recovery's report on the continuation, as plain values, lists as
    lists.
    """
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in sorted(vars(continuation).items())
        if name not in ("more", "others")
    }
