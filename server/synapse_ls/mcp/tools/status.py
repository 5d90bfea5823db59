"""This module is the MCP tool ``status``: the state that the next prompt would meet."""

from __future__ import annotations

from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.mcp.situation_arguments import SESSION, query_answer
from synapse_ls.mcp.tool_result import (
    ToolResult,
    answer_situation_lines,
    join_groups,
    note_lines,
    window_line,
)
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.queries.delivery_report import delivery_notes, delivery_report
from synapse_ls.queries.guard_clients import registered_hooks
from synapse_ls.queries.navigation_report import NavigationReport
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.status_report import status_report


def _run(root: str, arguments: Arguments) -> ToolResult:
    answer = query_answer(root, arguments, standing=True)
    accounts = account_for_domains(answer.plan, answer.assembly)
    report = status_report(answer, accounts, registered_hooks(root), delivery_report(root))
    session = report.session
    hooks = ", ".join(report.hooks)
    text = join_groups(
        [
            f"tree: {root} (profile {report.profile})",
            f"session: {session.id}, {session.prompts} prompts" if session else "session: new",
            window_line(answer),
            *answer_situation_lines(answer),
            *_navigation_lines(report.navigation),
            f"in the block: {report.rules.in_block} of {report.rules.total} rules, from "
            f"{report.domains.in_block} of {report.domains.total} domains",
            f"hook: {hooks}; last delivered: {report.delivery.last or 'never'}"
            if hooks
            else "hook: registered nowhere (`synapse install`)",
            f"guard: {report.guard_effect}",
        ],
        note_lines([*report.notes, *delivery_notes(report.delivery)]),
    )
    return ToolResult(text, to_json(report))


def _navigation_lines(found: NavigationReport | None) -> list[str]:
    """Returns where the work is, and what is next."""
    if found is None:
        return []
    then = [f"next: {found.then}"] if found.then else []
    return [f"step: {found.where}", *then, *note_lines(found.notes)]


TOOL = Tool(
    name="status",
    title="State of the rules",
    description="The state that the next prompt would meet: session, bracket and what is left of the "
    "context window, agent, workflow, task, and where the hook is registered.",
    arguments=(SESSION,),
    run=_run,
)
