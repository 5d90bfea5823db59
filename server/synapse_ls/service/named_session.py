"""Sessions by what people call them."""

from __future__ import annotations

import time

from synapse_ls.service.errors import ServiceError
from synapse_ls.service.inventory import CURRENT_HOURS, sessions_folder
from synapse_ls.sessions.archive import list_sessions, newest

CURRENT = "current"


def current_session(root: str) -> str:
    """The id of the newest session that was active in the last hour, "" for none.

    Raises SessionError where the sessions cannot be read.
    """
    info = newest(sessions_folder(root), CURRENT_HOURS, now=time.time())
    return info.session_id if info else ""


def resolved(root: str, given: str) -> str:
    """The id that ``given`` means: itself, a unique beginning, or "current"; else ServiceError."""
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
    raise ServiceError(
        f'There is no session "{given}".', "`synapse session list` shows those there are."
    )
