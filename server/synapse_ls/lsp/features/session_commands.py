"""Answer ``synapse/activation``, and run the commands of a session.

``synapse.activate`` activates an agent, ``synapse.setSession`` sets fields, ``synapse.pin`` chooses
the session to follow.
"""

import asyncio
import os
import time
from collections.abc import Mapping
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.activation import agent_activation, framework_settings, greeting
from synapse_ls.lsp import custom_messages, feature_context
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.request_errors import refuse_core_errors, request_refusal
from synapse_ls.lsp.root_discovery import Root
from synapse_ls.queries.activation_report import activated_agent_report
from synapse_ls.storage.session_settings import SETTABLE_FIELDS, set_fields
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.workspace.tree_folders import SESSIONS

_CHOICES = {
    "executor": (*greeting.EXECUTORS, *greeting.ENGLISH_EXECUTORS),
    "occasion": greeting.OCCASIONS,
    "greeting": framework_settings.PREFERENCES,
}


async def answer_activation(
    ls: Server, _: str, params: custom_messages.ActivationParams
) -> dict[str, Any]:
    """Answer ``synapse/activation``: return the activation with the greeting of the agent; nothing
    is changed.
    """
    root = await feature_context.find_root(ls, params.uri)
    return await _activation_answer(ls, root, params, is_recorded=False)


async def activate_agent(ls: Server, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run ``synapse.activate``: return an agent's activation, and make the agent the active one of
    the session.
    """
    params = custom_messages.parse_arguments(
        custom_messages.ActivationParams, "synapse.activate", arguments
    )
    root = await feature_context.find_root(ls, params.uri)
    answer = await _activation_answer(ls, root, params, is_recorded=True)
    if answer["recorded"]:
        path = SessionStore(sessions_folder(root.path)).path(answer["session"])
        ls.trees.path_changed(path.replace(os.sep, "/"))
    first = answer["greeting"].partition("\n")[0] or f"@{answer['agent']['id']} is active."
    if not answer["recorded"]:
        first = f"{first} (No session was changed: none is active.)"
    ls.show_message(first)
    return answer


async def _activation_answer(
    ls: Server, root: Root, params: custom_messages.ActivationParams, *, is_recorded: bool
) -> dict[str, Any]:
    for name, words in _CHOICES.items():
        if (value := getattr(params, name)) and value not in words:
            raise JsonRpcInvalidParams(f"{name} is one of {', '.join(words)}, not {value}.")
    if (session := params.session) is None:
        session = await ls.worker.run(_current_session, root)

    def bring_up() -> dict[str, Any]:
        now = time.time()
        wish = agent_activation.ActivationRequest(
            session, params.executor or "", params.occasion or "", params.greeting or ""
        )
        with refuse_core_errors():
            activation = agent_activation.activate_agent(root.path, params.agent, wish, now=now)
            notes = list(activation.notes)
            if is_kept := is_recorded and bool(session):
                notes += agent_activation.record_activation(root.path, activation, now=now)
        report = activated_agent_report(activation, recorded=is_kept, notes=notes)
        return custom_messages.encode_report(report, root.path)

    # Neither thread of the server waits for git: others want to hover meanwhile.
    return await asyncio.to_thread(bring_up)


def _current_session(root: Root) -> str:
    return root.tree.session()  # which is there once the worker has begun to load it


async def set_session(ls: Server, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run ``synapse.setSession``: what ``synapse session set`` does."""
    parsed = custom_messages.parse_arguments(
        custom_messages.SetSession, "synapse.setSession", arguments
    )
    wanted = {
        name: value for name in SETTABLE_FIELDS if (value := getattr(parsed, name)) is not None
    }
    if not wanted:
        raise JsonRpcInvalidParams(f"synapse.setSession needs one of {', '.join(SETTABLE_FIELDS)}.")
    if "agent" in wanted:
        wanted["agent"] = wanted["agent"].removeprefix("@")
    root = await feature_context.find_root(ls, parsed.uri)
    if not (session := parsed.session or await ls.worker.run(_current_session, root)):
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
    """Run ``synapse.pin``: follow a session, or the newest again."""
    parsed = custom_messages.parse_arguments(custom_messages.Pin, "synapse.pin", arguments)
    root = await feature_context.find_root(ls, parsed.uri)
    if parsed.session:
        await ls.reader.run(_check_session, root, parsed.session)
    await ls.trees.pin_session(root, parsed.session or "")
    current = await ls.worker.run(_current_session, root)
    return {"session": current or None, "pinned": parsed.session or None}


def _check_session(root: Root, session: str) -> None:
    """Refuse a session that does not exist."""
    with refuse_core_errors():
        session_state, problem = SessionStore(sessions_folder(root.path)).inspect(session)
    if session_state is None:
        why = f'There is no session "{session}".'
        if problem:
            why = f"The session {session} {problem}."
        raise request_refusal(why, "`synapse session list` shows those there are.")
