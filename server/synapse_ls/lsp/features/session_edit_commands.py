"""This module runs the session commands: ``synapse.setSession`` sets what a session knows,
``synapse.pin`` chooses which session is followed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp.custom_messages import Pin, SetSession, parse_arguments
from synapse_ls.lsp.feature_context import find_root, refuse_core_errors, request_refusal
from synapse_ls.storage.session_settings import SETTABLE_FIELDS, set_fields
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.workspace.tree_folders import SESSIONS

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.lsp.tree_roots import Root


async def set_session(ls: Server, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Runs ``synapse.setSession``: what ``synapse session set`` does."""
    found = parse_arguments(SetSession, "synapse.setSession", arguments)
    wanted = {
        name: value for name in SETTABLE_FIELDS if (value := getattr(found, name)) is not None
    }
    if not wanted:
        raise JsonRpcInvalidParams(f"synapse.setSession needs one of {', '.join(SETTABLE_FIELDS)}.")
    if "agent" in wanted:
        wanted["agent"] = wanted["agent"].removeprefix("@")
    root = await find_root(ls, found.uri)
    session = found.session or await ls.worker.run(_current_session, root)
    if not session:
        raise request_refusal(
            "There is no current session: none was active in the last hour.",
            "Send your agent a prompt first, or name a session.",
        )

    def change() -> tuple[str, ...]:
        with refuse_core_errors():
            _check_session(root, session)
            return set_fields(root.path, session, wanted, now=time.time())

    notes = await ls.reader.run(change)
    ls.trees.path_changed(
        SessionStore(f"{root.path}/{SESSIONS}").path(session).replace(os.sep, "/")
    )
    return {"session": session, "notes": list(notes)}


async def pin_session(ls: Server, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Runs ``synapse.pin``: follows a session, or the newest again."""
    found = parse_arguments(Pin, "synapse.pin", arguments)
    root = await find_root(ls, found.uri)
    if found.session:
        await ls.reader.run(_check_session, root, found.session)
    await ls.trees.pin_session(root, found.session or "")
    current = await ls.worker.run(_current_session, root)
    return {"session": current or None, "pinned": found.session or None}


def _current_session(root: Root) -> str:
    return root.tree.session()


def _check_session(root: Root, session: str) -> None:
    """Refuses a session that does not exist."""
    with refuse_core_errors():
        found, problem = SessionStore(sessions_folder(root.path)).inspect(session)
    if found is None:
        why = (
            f"The session {session} {problem}." if problem else f'There is no session "{session}".'
        )
        raise request_refusal(why, "`synapse session list` shows those there are.")
