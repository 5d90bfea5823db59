"""Sessions as they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.errors import CliError
from synapse_ls.service.inventory import sessions_folder
from synapse_ls.sessions.store import SessionStore

if TYPE_CHECKING:
    from typing import Any


def loaded(root: str, session_id: str) -> dict[str, Any]:
    """The document of a session; CliError where it cannot be read."""
    session, problem = SessionStore(sessions_folder(root)).inspect(session_id)
    if session is None:
        raise CliError(
            f"The session {session_id} {problem or 'is gone'}.",
            "`synapse session list` shows those there are.",
        )
    return session


def ago(moment: float, now: float) -> str:
    """How long ago a moment is, in the largest unit that fits."""
    seconds = max(0, int(now - moment))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return "just now"
