"""Sessions by what people call them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from synapse_ls.service.errors import ServiceError
from synapse_ls.service.inventory import CURRENT_HOURS, sessions_folder
from synapse_ls.sessions.archive import list_sessions, newest
from synapse_ls.sessions.store import SessionStore

CURRENT = "current"
OWN = "SYNAPSE_SESSION"
"""The variable by which a person names the session of a terminal, be it one that begins."""
VARIABLES = (OWN, "CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID", "CODEX_THREAD_ID")
"""Variables that name a terminal's session; the others are set by the agent client that runs us."""


def current_session(root: str) -> str:
    """The id of the newest session that was active in the last hour, "" for none.

    Raises SessionError where the sessions cannot be read.
    """
    info = newest(sessions_folder(root), CURRENT_HOURS, now=time.time())
    return info.session_id if info else ""


def own_session(root: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """The id of the session that this terminal is about, "" for none; and why there is none.

    The one that the environment names, else the only one that was active in the last hour. Of
    several nobody knows which is meant, and none is touched by mistake; nor is another than that of
    a client which the hook has not told of.
    """
    given = next(((name, value) for name in VARIABLES if (value := environment.get(name))), None)
    if given is not None:
        name, session = given
        known = name == OWN or SessionStore(sessions_folder(root)).load(session) is not None
        return (session, "") if known else ("", f"the hook does not know this terminal's {session}")
    since = time.time() - CURRENT_HOURS * 3600
    active = [
        info.session_id
        for info in list_sessions(sessions_folder(root))
        if info.session_id and not info.problem and info.last_activity >= since
    ]
    if len(active) == 1:
        return active[0], ""
    if not active:
        return "", "no session was active in the last hour"
    listed = ", ".join(active[:3]) + (", …" if len(active) > 3 else "")
    return "", f"{len(active)} sessions were active in the last hour ({listed})"


def resolved(root: str, given: str, *, may_begin: bool = False) -> str:
    """The id that ``given`` means: itself, a unique beginning, or "current"; else ServiceError.

    may_begin: an id that no session has is itself, as that of one that begins.
    """
    if given == CURRENT:
        current = current_session(root)
        if not current:
            raise ServiceError(
                "There is no current session: none was active in the last hour.",
                "Name one that `synapse session list` shows.",
            )
        return current
    ids = [info.session_id for info in list_sessions(sessions_folder(root)) if info.session_id]
    if given in ids:
        return given
    found = [name for name in ids if given and name.startswith(given)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ServiceError(
            f'"{given}" is the beginning of {len(found)} sessions: {", ".join(found[:3])}'
            + ("." if len(found) <= 3 else ", …"),
            "Give more of the id.",
        )
    if may_begin and given:
        return given
    raise ServiceError(
        f'There is no session "{given}".', "`synapse session list` shows those there are."
    )
