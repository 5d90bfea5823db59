"""This module is the MCP tool ``handoff``: it writes down where a session is, for the one that
goes on with it.
"""

from __future__ import annotations

import time

from synapse_ls.formats.continuation_file import render_continuation
from synapse_ls.hooks.digest_worker import MANUAL_REASON, make_digest
from synapse_ls.mcp.tool_arguments import ToolArgument
from synapse_ls.mcp.tool_result import ToolResult
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.memory import continuation_store
from synapse_ls.queries.recovery_report import (
    continuation_report,
    recovery_report,
    session_start_report,
)
from synapse_ls.queries.session_lookup import CURRENT_NAME, resolve_session
from synapse_ls.storage.user_error import UserError


def _run(root: str, arguments: Arguments) -> ToolResult:
    session = resolve_session(root, arguments["session"] or CURRENT_NAME)
    made = make_digest(root, session, now=time.time(), reason=MANUAL_REASON, lock_seconds=10.0)
    found = (
        continuation_store.read_continuation(continuation_store.continuation_path(root), root)
        if made
        else None
    )
    if made is None or found is None:
        raise UserError(
            f"Another process is writing down session {session}.", "Try again when it is done."
        )
    report = recovery_report(root, session)
    level2 = session_start_report(found.client)
    how = str(level2["command"] or level2["say"])
    text = f"Written to {made.continuation}. To go on in a new session: {how}\n\n{render_continuation(found)}"
    return ToolResult(
        text,
        {
            **continuation_report(found),
            "path": made.continuation,
            "decision": report["decision"],
            "level2": level2,
        },
    )


TOOL = Tool(
    name="handoff",
    title="Hand over",
    description="Write down where this session is (.synapse/continuation/latest.md): current step, "
    "decisions, open items, errors and how they went away, files. Call it when little of the "
    "context window is left, or before the work goes to another agent.",
    arguments=(
        ToolArgument("session", 'the session, its unique beginning, or "current" (the default)'),
    ),
    run=_run,
    is_changing=True,
)
