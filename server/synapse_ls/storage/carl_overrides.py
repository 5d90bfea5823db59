"""Read what CARL's own session of the same id overrides: ``.carl/sessions/{id}.json``.

CARL's hook and skills write it; nothing here does. Its values are words or booleans, null for none;
what a session of ours overrides itself comes first.
"""

from __future__ import annotations

import os

from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.state_values import parse_switch
from synapse_ls.storage.atomic_files import StorageError, read_bytes
from synapse_ls.storage.session_store import session_file_stem
from synapse_ls.text.fast_json import JsonError, loads

CARL_SESSIONS = ".carl/sessions"
_MAX_BYTES = 1_000_000  # bytes; a session of CARL has a few hundred


def has_carl_session(root: str, session_id: str) -> bool:
    """Return whether CARL has a session of this id."""
    return (
        bool(session_id)
        and session_file_stem(session_id) == session_id
        and os.path.isfile(_session_path(root, session_id))
    )


def with_carl_overrides(root: str, session: SessionState) -> SessionState:
    """Return ``session`` with what CARL's session of its id overrides."""
    session_id = session.id
    if not session_id or session_file_stem(session_id) != session_id:
        return session  # CARL would write this one somewhere else
    theirs = _read_overrides(root, session_id)
    if not theirs:
        return session
    ours = {key: value for key, value in session.overrides.items() if value is not None}
    session = session.copy()
    session.overrides = {**theirs, **ours}
    return session


def _session_path(root: str, session_id: str) -> str:
    return f"{root}/{CARL_SESSIONS}/{session_id}.json"


def _read_overrides(root: str, session_id: str) -> dict[str, bool]:
    try:
        data = read_bytes(_session_path(root, session_id), _MAX_BYTES, within=root)
        document = loads(data.decode()) if data else None
    except (StorageError, UnicodeDecodeError, JsonError):
        return {}  # a session of somebody else that cannot be read overrides nothing
    overrides = document.get("overrides") if isinstance(document, dict) else None
    if not isinstance(overrides, dict):
        return {}
    switched = {
        str(key): parse_switch(value) for key, value in overrides.items() if value is not None
    }
    return {key: value for key, value in switched.items() if value is not None}
