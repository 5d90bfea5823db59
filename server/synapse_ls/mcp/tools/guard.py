"""This module is the MCP tool ``guard``: whether the authority boundaries of the tree let an
agent do something.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.guard.action_verdict import Verdict
from synapse_ls.guard.agent_action import AgentAction
from synapse_ls.hooks.boundary_verdict import judge_use, unreadable_clauses
from synapse_ls.mcp.situation_arguments import AGENT, SITUATION, query_answer
from synapse_ls.mcp.tool_arguments import LIST, ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, join_groups, note_lines
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.guard_report import verdict_report
from synapse_ls.queries.report_model import to_json
from synapse_ls.storage.user_error import UserError

_VERBS = ("read", "write", "delete")
_SITUATION = tuple(
    field for field in SITUATION if field.name in ("workflow", "phase", "task", "squad", "session")
)
_EFFECTS = {
    "off": "the guard is off, so nothing stops the agent",
    "warn": "the guard warns, and does not stop the agent",
    "enforce": "the guard stops the agent where the client runs the hook",
}


def _run(root: str, arguments: Arguments) -> ToolResult:
    files = [(verb, path) for verb in _VERBS for path in arguments[verb]]
    if not (arguments["command"].strip() or files or arguments["tool"]):
        raise UserError(
            "There is nothing to judge.",
            "Give a command, files to read, write or delete, or a tool.",
        )
    answer = query_answer(
        root, {field.name: arguments[field.name] for field in (AGENT, *_SITUATION)}
    )
    situation = answer.assembly.situation
    folder = arguments["folder"].strip("/")
    use = AgentAction(
        command=arguments["command"], files=files, tool=arguments["tool"], folder=folder
    )
    mode = answer.plan.settings["guard"]
    found = judge_use(answer.plan, situation, use, project_root=answer.plan.root, mode=mode)
    blind = unreadable_clauses(answer.plan, situation.agent)
    notes = note_lines(situation.notes)
    text = join_groups([*_verdict_lines(found, situation.agent, mode), *notes])
    report = verdict_report(found, situation.agent, mode, blind)
    return ToolResult(text, to_json(report))


def _verdict_lines(verdict: Verdict, agent: str, mode: str) -> Iterator[str]:
    who = f"@{agent}" if agent else "no active agent"
    yield f"{verdict.decision} for {who}{f': {verdict.reason}' if verdict.reason else ''}."
    if verdict.subject:
        yield f"  what: {verdict.subject}"
    if verdict.decision != "allow":
        yield f"note: {_EFFECTS[mode]}"


TOOL = Tool(
    name="guard",
    title="May an agent do this?",
    description="Whether the authority boundaries of this project let an agent run a command, touch files "
    "or call a tool: allow, ask or deny, with the rule and the agent to delegate to.",
    arguments=(
        ToolArgument("command", "a command line, as a shell reads it"),
        ToolArgument("read", "files to read", LIST),
        ToolArgument("write", "files to write", LIST),
        ToolArgument("delete", "files to delete", LIST),
        ToolArgument("tool", "the name of a tool of the client"),
        ToolArgument("folder", "where, below the project (default: its root)"),
        AGENT,
        *_SITUATION,
    ),
    run=_run,
)
