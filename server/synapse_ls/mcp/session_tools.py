"""MCP tools that change a session or record where it is."""

import time
from collections.abc import Mapping

from synapse_ls.activation import agent_activation, greeting, loader_runner
from synapse_ls.formats.continuation_file import render_continuation
from synapse_ls.hooks.digest_worker import write_continuation
from synapse_ls.mcp import tool_definition
from synapse_ls.queries.activation_report import activated_agent_report
from synapse_ls.queries.recovery_report import (
    continuation_report,
    recovery_report,
    session_start_report,
)
from synapse_ls.queries.session_lookup import CURRENT_NAME, own_session, resolve_session
from synapse_ls.storage.session_settings import set_fields
from synapse_ls.text.phrases import quotation
from synapse_ls.text.user_error import UserError


def create_setter(
    subject: tool_definition.ToolArgument, detail: tool_definition.ToolArgument, description: str
) -> tool_definition.Tool:
    """Return the MCP tool that sets ``subject`` of a session (the task, the workflow) and, where it
    is given, a ``detail`` of it.
    """
    noun = subject.name

    def field_values(arguments: tool_definition.Arguments) -> dict[str, str]:
        return {noun: str(arguments[noun])} | (
            {detail.name: arguments[detail.name]} if arguments[detail.name] else {}
        )

    def describe(root: str, arguments: tool_definition.Arguments) -> str:
        named, more = arguments[noun].strip(), arguments[detail.name].strip()
        what = f"the {noun} to {quotation(named)}" if named else f"no {noun} as active"
        what += f", {detail.name} {quotation(more)}" if more else ""
        return describe_change(root, arguments["session"], what)

    return tool_definition.Tool(
        name=f"set_{noun}",
        title=f"Set the {noun}",
        description=description,
        arguments=(subject, detail, tool_definition.SESSION),
        run=lambda root, given: change_session(root, given["session"], field_values(given)),
        is_changing=True,
        describe_change=describe,
        command_words=lambda given: command_words(given, field_values(given)),
    )


def change_session(
    root: str, session: str, fields: Mapping[str, str]
) -> tool_definition.ToolResult:
    """Set fields of a session for an MCP tool, and say so; "" clears one."""
    session_id = resolve_changed_session(root, session)
    values = {name: value.strip() for name, value in fields.items()}
    notes = set_fields(root, session_id, values, now=time.time())
    lines = [f"{name} = {value}" if value else f"{name} cleared" for name, value in values.items()]
    return tool_definition.ToolResult(
        [f"session {session_id}:", *lines, *tool_definition.note_lines(notes)],
        {"session": session_id, "set": values, "notes": list(notes)},
    )


def describe_change(root: str, session: str, change: str) -> str:
    """Return what a person is asked about before an MCP tool sets something of a session: whoever
    sets the agent or the work could widen its own boundaries.
    """
    return f"set {change} for the session {quotation(resolve_changed_session(root, session))}"


def command_words(arguments: Mapping[str, str], fields: Mapping[str, str]) -> list[str]:
    """Return the words of the command line that sets ``fields`` of a session in place of the MCP
    tool.
    """
    pairs = (f"{name}={value.strip()}" for name, value in fields.items())
    return ["synapse", "session", "set", arguments["session"] or CURRENT_NAME, *pairs]


def resolve_changed_session(root: str, name: str) -> str:
    """Return the session that an MCP tool is to set something of; raise UserError where there is
    none, or nobody knows which.

    Where none is named, it is the one that the client names in the environment, else the only
    current one: an agent must not set the session of another by mistake.
    """
    if name and name != tool_definition.NEW:
        return tool_definition.session_from_argument(root, name)
    session, why = ("", "") if name else own_session(root)
    if session:
        return session
    what = f"There is no current session to be set: {why}" if why else "A new session cannot be set"
    raise UserError(
        f"{what}; a session begins with the first prompt that the hook answers.",
        "Name one with session (`synapse session list`), or register the hook with "
        "`synapse install`.",
    )


def _agent_id(arguments: tool_definition.Arguments) -> str:
    return str(arguments["agent"]).strip().removeprefix("@")


def _describe_agent(root: str, arguments: tool_definition.Arguments) -> str:
    agent = _agent_id(arguments)
    what = (
        f"the active agent to {quotation(f'@{agent_activation.identify_agent(root, agent)}')}"
        if agent
        else "no agent as active"
    )
    return describe_change(root, arguments["session"], what)


@tool_definition.tool(
    "Activate an agent",
    tool_definition.ToolArgument("agent", "the id of the agent: dev or @dev", required=True),
    tool_definition.SESSION,
    tool_definition.ToolArgument(
        "executor",
        "who carries the task out, if the task does not say",
        choices=(*greeting.EXECUTORS, *greeting.ENGLISH_EXECUTORS),
    ),
    is_changing=True,
    describe_change=_describe_agent,
    command_words=lambda given: command_words(given, {"agent": _agent_id(given)}),
)
def run_activate_agent(
    root: str, arguments: tool_definition.Arguments
) -> tool_definition.ToolResult:
    """Makes an agent of this project the active one of the session and returns what it needs to
    begin. That is who it is, branch, changes and recent commits, the story and the step of the
    workflow, what comes next, its permission mode and its commands. Its rules and authority
    boundaries apply from the next prompt. An empty id deactivates it. Where the guard enforces
    boundaries, a person is asked first.
    """
    if not (agent := _agent_id(arguments)):
        return change_session(root, arguments["session"], {"agent": ""})
    agent = agent_activation.identify_agent(root, agent)
    session = resolve_changed_session(root, arguments["session"])
    now = time.time()
    activation = agent_activation.activate_agent(
        root, agent, agent_activation.ActivationRequest(session, arguments["executor"]), now=now
    )
    notes = [*activation.notes, *agent_activation.record_activation(root, activation, now=now)]
    remarks = list(notes)
    if activation.quality != loader_runner.FULL:
        remarks.append(
            f"the activation is {activation.quality}: {'; '.join(activation.facts.missing)}"
        )
    lines = tool_definition.join_groups(
        [f"session {session}:", f"agent = {activation.agent}"],
        activation.greeting.text.split("\n") if activation.greeting.text else (),
        tool_definition.note_lines(remarks),
    )
    data = {
        "session": session,
        "set": {"agent": activation.agent},
        "notes": notes,
        "activation": activated_agent_report(activation),
    }
    return tool_definition.ToolResult(lines, data)


SET_TASK_TOOL = create_setter(
    tool_definition.ToolArgument("task", "the name of the task, or its file", required=True),
    tool_definition.ToolArgument("story", "the id of its story, or its file"),
    "Sets the active task of the session, and its story: conditions, criteria and files "
    "of both are injected from the next prompt. An empty task ends it.",
)


SET_WORKFLOW_TOOL = create_setter(
    tool_definition.ToolArgument("workflow", "the id of the workflow", required=True),
    tool_definition.ToolArgument("phase", "the phase that it is in"),
    "Sets the active workflow of the session and its phase: their rules are injected from the "
    "next prompt. An empty workflow ends it.",
)


@tool_definition.tool(
    "Hand over",
    tool_definition.ToolArgument(
        "session", 'the session, its unique beginning, or "current" (the default)'
    ),
    is_changing=True,
)
def run_handoff(root: str, arguments: tool_definition.Arguments) -> tool_definition.ToolResult:
    """Write down where this session is (.synapse/continuation/latest.md, in .chati for Chati.dev):
    current step, decisions, open items, errors and how they went away, files. Call it when little
    of the context window is left, or before the work goes to another agent.
    """
    session = resolve_session(root, arguments["session"] or CURRENT_NAME)
    continuation, path = write_continuation(root, session, now=time.time())
    report = recovery_report(root, session)
    level2 = session_start_report(root, continuation.client)
    how = str(level2["command"] or level2["say"])
    written = f"Written to {path}. To go on in a new session: {how}"
    return tool_definition.ToolResult(
        [written, "", *render_continuation(continuation).split("\n")],
        {
            **continuation_report(continuation),
            "path": path,
            "decision": report["decision"],
            "level2": level2,
        },
    )
