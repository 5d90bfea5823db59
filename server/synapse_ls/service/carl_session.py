"""What CARL's own session of the same id overrides: ``.carl/sessions/{id}.json``.

CARL's hook and skills write it; nothing here does. Its values are words or booleans, null for none;
what a session of ours overrides itself comes first.
"""

from __future__ import annotations

from os.path import isfile

from synapse_ls.formats.switches import switch
from synapse_ls.sessions.files import SessionError, read_bytes
from synapse_ls.sessions.names import file_stem
from synapse_ls.text.json import JsonError, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

FOLDER: Final = ".carl/sessions"
_LIMIT: Final = 1_000_000  # bytes; a session of CARL has a few hundred


def is_known(root: str, session_id: str) -> bool:
    """Whether CARL has a session of this id."""
    return (
        bool(session_id) and file_stem(session_id) == session_id and isfile(_path(root, session_id))
    )


def with_overrides(root: str, session: Mapping[str, Any]) -> Mapping[str, Any]:
    """``session`` with what CARL's session of its id overrides."""
    known = session.get("uuid")
    if not isinstance(known, str) or not known or file_stem(known) != known:
        return session  # CARL would write this one somewhere else
    theirs = _overrides(_path(root, known))
    if not theirs:
        return session
    own = session.get("overrides")
    own = own if isinstance(own, dict) else {}
    ours = {key: value for key, value in own.items() if value is not None} if own else {}
    return {**session, "overrides": {**theirs, **ours}}


def _path(root: str, session_id: str) -> str:
    return f"{root}/{FOLDER}/{session_id}.json"


def _overrides(path: str) -> dict[str, bool]:
    try:
        data = read_bytes(path, _LIMIT)
        found = loads(data.decode()) if data else None
    except (SessionError, UnicodeDecodeError, JsonError):
        return {}  # a session of somebody else that cannot be read overrides nothing
    said = found.get("overrides") if isinstance(found, dict) else None
    if not isinstance(said, dict):
        return {}
    switched = {str(key): switch(value) for key, value in said.items() if value is not None}
    return {key: value for key, value in switched.items() if value is not None}
