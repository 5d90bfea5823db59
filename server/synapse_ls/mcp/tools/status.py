"""``status``: what the next prompt would meet."""

from __future__ import annotations

from typing import Any

from synapse_ls.engine.account import account
from synapse_ls.manage.clients.settings import registered
from synapse_ls.mcp.said import Said, note_lines, paragraphs, situation_lines, window_line
from synapse_ls.mcp.situation import SESSION, asked
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.inventory import status_report


def _run(root: str, given: Given) -> Said:
    answer = asked(root, given)
    accounts = account(answer.plan, answer.assembly)
    report = status_report(answer, accounts, registered(root))
    session = report["session"]
    hooks = ", ".join(report["hooks"])
    text = paragraphs(
        [
            f"tree: {root} (profile {report['profile']})",
            f"session: {session['id']}, {session['prompts']} prompts"
            if session
            else "session: new",
            window_line(answer),
            *situation_lines(answer),
            *_navigation(report["navigation"]),
            f"in the block: {report['rules']['in_block']} of {report['rules']['total']} rules, from "
            f"{report['domains']['in_block']} of {report['domains']['total']} domains",
            f"hook: {hooks}" if hooks else "hook: registered nowhere (`synapse install`)",
        ],
        note_lines(report["notes"]),
    )
    return Said(text, report)


def _navigation(found: dict[str, Any] | None) -> list[str]:
    """Where the work is, and what is next."""
    if found is None:
        return []
    then = [f"next: {found['then']}"] if found["then"] else []
    return [f"step: {found['where']}", *then, *note_lines(found["notes"])]


TOOL = Tool(
    name="status",
    title="State of the rules",
    about="The state that the next prompt would meet: session, bracket and what is left of the "
    "context window, agent, workflow, task, and where the hook is registered.",
    fields=(SESSION,),
    run=_run,
)
