"""Sessions by what people call them, and how they are shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from synapse_ls.cli.errors import CliError
from synapse_ls.service.inventory import CURRENT_HOURS, sessions_folder
from synapse_ls.sessions.archive import list_sessions, newest
from synapse_ls.sessions.store import SessionStore

if TYPE_CHECKING:
    from typing import Any

CURRENT = "current"


def resolved(root: str, given: str) -> str:
    """The id that ``given`` means: itself, a unique beginning, or "current"; else CliError."""
    folder = sessions_folder(root)
    if given == CURRENT:
        info = newest(folder, CURRENT_HOURS, now=time.time())
        if info is None:
            raise CliError(
                "There is no current session: none was active in the last hour.",
                "Name one that `synapse session list` shows.",
            )
        return info.session_id
    ids = [info.session_id for info in list_sessions(folder) if info.session_id]
    if given in ids:
        return given
    found = [name for name in ids if given and name.startswith(given)]
    if len(found) == 1:
        return found[0]
    if found:
        raise CliError(
            f'"{given}" is the beginning of {len(found)} sessions: {", ".join(found[:3])}'
            + ("." if len(found) <= 3 else ", …"),
            "Give more of the id.",
        )
    raise CliError(
        f'There is no session "{given}".', "`synapse session list` shows those there are."
    )


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
