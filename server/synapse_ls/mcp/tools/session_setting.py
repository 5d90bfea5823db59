"""This module is shared by the MCP tools that set something of a session (agent, task, workflow):
which session, the consent of a person, and the change itself.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.mcp.situation_arguments import NEW, SESSION, session_from_argument
from synapse_ls.mcp.tool_arguments import ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, note_lines
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.session_lookup import CURRENT_NAME, own_session
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_settings import set_fields
from synapse_ls.storage.user_error import UserError


def create_setter(subject: ToolArgument, detail: ToolArgument, description: str) -> Tool:
    """Returns the MCP tool that sets ``subject`` of a session (the task, the workflow) and, where
    it is given, a ``detail`` of it.
    """
    noun = subject.name

    def field_values(arguments: Arguments) -> dict[str, str]:
        return {noun: str(arguments[noun])} | (
            {detail.name: arguments[detail.name]} if arguments[detail.name] else {}
        )

    def ask_consent(root: str, arguments: Arguments) -> str:
        named, more = arguments[noun].strip(), arguments[detail.name].strip()
        what = f"the {noun} to {named}" + (f", {detail.name} {more}" if more else "")
        return consent_question(
            root, arguments["session"], what if named else f"no {noun} as active"
        )

    return Tool(
        name=f"set_{noun}",
        title=f"Set the {noun}",
        description=description,
        arguments=(subject, detail, SESSION),
        run=lambda root, given: change_session(root, given["session"], field_values(given)),
        is_changing=True,
        consent_question=ask_consent,
        command_words=lambda given: command_words(given, field_values(given)),
    )


def change_session(root: str, session: str, fields: Mapping[str, str]) -> ToolResult:
    """Sets fields of a session for an MCP tool, and says so; "" clears one."""
    session_id = resolve_changed_session(root, session)
    values = {name: value.strip() for name, value in fields.items()}
    notes = set_fields(root, session_id, values, now=time.time())
    lines = [f"{name} = {value}" if value else f"{name} cleared" for name, value in values.items()]
    text = "\n".join([f"session {session_id}:", *lines, *note_lines(notes)])
    return ToolResult(text, {"session": session_id, "set": values, "notes": list(notes)})


def consent_question(root: str, session: str, change: str) -> str:
    """Returns what a person is asked before an MCP tool sets something of a session, "" where
    nobody has to be asked.

    Where the guard enforces boundaries, whoever sets the agent or the work could widen its own.
    """
    session_id = resolve_changed_session(root, session)
    if load_plan(root).plan.settings["guard"] != ENFORCE:
        return ""
    return f"An agent wants to set {change} for the session {session_id}. Is that all right?"


def command_words(arguments: Mapping[str, str], fields: Mapping[str, str]) -> list[str]:
    """Returns the words of the command line that sets ``fields`` of a session in place of the MCP
    tool.
    """
    pairs = (f"{name}={value.strip()}" for name, value in fields.items())
    return ["synapse", "session", "set", arguments["session"] or CURRENT_NAME, *pairs]


def resolve_changed_session(root: str, name: str) -> str:
    """Returns the session that an MCP tool is to set something of; raises UserError where there is
    none, or nobody knows which.

    Where none is named, it is the one that the client names in the environment, else the only
    current one: an agent must not set the session of another by mistake.
    """
    if name and name != NEW:
        return session_from_argument(root, name)
    found, why = ("", "") if name else own_session(root)
    if found:
        return found
    what = f"There is no current session to be set: {why}" if why else "A new session cannot be set"
    raise UserError(
        f"{what}; a session begins with the first prompt that the hook answers.",
        "Name one with session (`synapse session list`), or register the hook with "
        "`synapse install`.",
    )
