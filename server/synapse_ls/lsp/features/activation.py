"""``synapse/activation`` and ``synapse.activate``: an agent brought up, shown or for its session too."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.activation.facts import EXECUTORS
from synapse_ls.activation.occasion import OCCASIONS
from synapse_ls.activation.sources.preferences import PREFERENCES
from synapse_ls.lsp.answers import answer
from synapse_ls.lsp.asked import root_of
from synapse_ls.lsp.command_params import asked
from synapse_ls.lsp.custom import ActivationParams
from synapse_ls.lsp.refusal import refusing
from synapse_ls.lsp.states import ActivationAnswer
from synapse_ls.service import activating
from synapse_ls.service.activating import Wish
from synapse_ls.service.inventory import sessions_folder
from synapse_ls.sessions.store import SessionStore

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.roots import Root

_WORDS = {"executor": EXECUTORS, "occasion": OCCASIONS, "greeting": PREFERENCES}


async def handle(ls: Server, _: str, params: ActivationParams) -> dict[str, Any]:
    """What the agent would greet with; nothing is changed."""
    root = await root_of(ls, params.uri)
    return await _answer(ls, root, params, is_recorded=False)


async def activate(ls: Server, given: Mapping[str, Any]) -> dict[str, Any]:
    """``synapse.activate``: the same, and the agent becomes the active one of the session."""
    params = asked(ActivationParams, "synapse.activate", given)
    root = await root_of(ls, params.uri)
    found = await _answer(ls, root, params, is_recorded=True)
    if found["recorded"]:
        path = SessionStore(sessions_folder(root.path)).path(found["session"])
        ls.trees.on_disk(path.replace(os.sep, "/"))
    first = found["greeting"].partition("\n")[0] or f"@{found['agent']['id']} is active."
    if not found["recorded"]:
        first = f"{first} (No session was changed: none is active.)"
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, first))
    return found


async def _answer(
    ls: Server, root: Root, params: ActivationParams, *, is_recorded: bool
) -> dict[str, Any]:
    for name, words in _WORDS.items():
        value = getattr(params, name)
        if value and value not in words:
            raise JsonRpcInvalidParams(f"{name} is one of {', '.join(words)}, not {value}.")
    session = params.session
    if session is None:
        session = await ls.worker.run(_current, root)

    def bring_up() -> dict[str, Any]:
        now = time.time()
        wish = Wish(session, params.executor or "", params.occasion or "", params.greeting or "")
        with refusing():
            found = activating.activate(root.path, params.agent, wish, now=now)
            notes = list(found.notes)
            kept = is_recorded and bool(session)
            if kept:
                notes += activating.record(root.path, found, now=now)
        return answer(
            ActivationAnswer, {**found.report(), "recorded": kept, "notes": notes}, root.path
        )

    # Neither thread of the server waits for git: others want to hover meanwhile.
    return await asyncio.to_thread(bring_up)


def _current(root: Root) -> str:
    return root.tree.session()
