"""This module is the MCP tool ``activate_agent``: it sets the active agent of a session, and
returns everything that the agent needs to begin.
"""

from __future__ import annotations

import time

from synapse_ls.activation.activation_facts import EXECUTORS
from synapse_ls.activation.agent_activation import (
    ActivationRequest,
    activate_agent,
    identify_agent,
    record_activation,
)
from synapse_ls.activation.loader_metrics import FULL
from synapse_ls.mcp.situation_arguments import SESSION
from synapse_ls.mcp.tool_arguments import ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, join_groups, note_lines
from synapse_ls.mcp.tools.session_setting import (
    change_session,
    command_words,
    consent_question,
    resolve_changed_session,
)
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.activation_report import activated_agent_report
from synapse_ls.queries.report_model import to_json


def _agent_id(arguments: Arguments) -> str:
    return str(arguments["agent"]).strip().removeprefix("@")


def _run(root: str, arguments: Arguments) -> ToolResult:
    agent = _agent_id(arguments)
    if not agent:
        return change_session(root, arguments["session"], {"agent": ""})
    session = resolve_changed_session(root, arguments["session"])
    now = time.time()
    found = activate_agent(root, agent, ActivationRequest(session, arguments["executor"]), now=now)
    notes = [*found.notes, *record_activation(root, found, now=now)]
    told = list(notes)
    if found.quality != FULL:
        told.append(f"the activation is {found.quality}: {'; '.join(found.facts.missing)}")
    text = join_groups(
        [f"session {session}:", f"agent = {found.agent}"],
        found.greeting.text.split("\n") if found.greeting.text else (),
        note_lines(told),
    )
    data = {
        "session": session,
        "set": {"agent": found.agent},
        "notes": notes,
        "activation": to_json(activated_agent_report(found)),
    }
    return ToolResult(text, data)


def _consent_question(root: str, arguments: Arguments) -> str:
    agent = _agent_id(arguments)
    what = f"the active agent to @{identify_agent(root, agent)}" if agent else "no agent as active"
    return consent_question(root, arguments["session"], what)


def _command_words(arguments: Arguments) -> list[str]:
    return command_words(arguments, {"agent": _agent_id(arguments)})


TOOL = Tool(
    name="activate_agent",
    title="Activate an agent",
    description="Makes an agent of this project the active one of the session and says what it needs to "
    "begin: who it is, branch, changes and recent commits, the story and the step of the workflow at "
    "work, what comes next, its permission mode and its commands. Its rules and authority boundaries "
    "apply from the next prompt. An empty id deactivates it. Where the guard enforces boundaries, a "
    "person is asked first.",
    arguments=(
        ToolArgument("agent", "the id of the agent: dev or @dev", required=True),
        SESSION,
        ToolArgument(
            "executor", "who carries the task out, if the task does not say", choices=EXECUTORS
        ),
    ),
    run=_run,
    is_changing=True,
    consent_question=_consent_question,
    command_words=_command_words,
)
