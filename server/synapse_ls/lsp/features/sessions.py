"""Commands about sessions: setting what one knows, and choosing which one is followed."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp.asked import root_of
from synapse_ls.lsp.command_params import Pin, SetSession, asked
from synapse_ls.lsp.refusal import refusal, refusing
from synapse_ls.service.inventory import sessions_folder
from synapse_ls.service.session_fields import FIELDS, set_fields
from synapse_ls.sessions.store import SessionStore
from synapse_ls.workspace.folders import SESSIONS

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.roots import Root


async def set_session(ls: Server, given: Mapping[str, Any]) -> dict[str, Any]:
    """``synapse.setSession``: what ``synapse session set`` does."""
    found = asked(SetSession, "synapse.setSession", given)
    wanted = {name: value for name in FIELDS if (value := getattr(found, name)) is not None}
    if not wanted:
        raise JsonRpcInvalidParams(f"synapse.setSession needs one of {', '.join(FIELDS)}.")
    if "agent" in wanted:
        wanted["agent"] = wanted["agent"].removeprefix("@")
    root = await root_of(ls, found.uri)
    session = found.session or await ls.worker.run(_current, root)
    if not session:
        raise refusal(
            "There is no current session: none was active in the last hour.",
            "Send your agent a prompt first, or name a session.",
        )

    def change() -> tuple[str, ...]:
        with refusing():
            _check(root, session)
            return set_fields(root.path, session, wanted, now=time.time())

    notes = await ls.reader.run(change)
    ls.trees.on_disk(SessionStore(f"{root.path}/{SESSIONS}").path(session).replace(os.sep, "/"))
    return {"session": session, "notes": list(notes)}


async def pin(ls: Server, given: Mapping[str, Any]) -> dict[str, Any]:
    """``synapse.pin``: follow a session, or the newest again."""
    found = asked(Pin, "synapse.pin", given)
    root = await root_of(ls, found.uri)
    if found.session:
        await ls.reader.run(_check, root, found.session)
    await ls.trees.pin(root, found.session or "")
    current = await ls.worker.run(_current, root)
    return {"session": current or None, "pinned": found.session or None}


def _current(root: Root) -> str:
    return root.tree.session()


def _check(root: Root, session: str) -> None:
    """Refuse a session that there is not."""
    with refusing():
        found, problem = SessionStore(sessions_folder(root.path)).inspect(session)
    if found is None:
        why = (
            f"The session {session} {problem}." if problem else f'There is no session "{session}".'
        )
        raise refusal(why, "`synapse session list` shows those there are.")
