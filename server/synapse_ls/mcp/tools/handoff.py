"""``handoff``: where a session is, for the one that goes on with it."""

from __future__ import annotations

import time

from synapse_ls.formats.continuation import render
from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.recovery import file
from synapse_ls.recovery.report import continuation_report, level2_report, recovery_report
from synapse_ls.recovery.worker import MANUAL, make
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.named_session import CURRENT, resolved


def _run(root: str, given: Given) -> Said:
    session = resolved(root, given["session"] or CURRENT)
    made = make(root, session, now=time.time(), reason=MANUAL, patience=10.0)
    found = file.read(file.path_of(root)) if made else None
    if made is None or found is None:
        raise ServiceError(
            f"Another process is writing down session {session}.", "Try again when it is done."
        )
    report = recovery_report(root, session)
    level2 = level2_report(found.client)
    how = str(level2["command"] or level2["say"])
    text = f"Written to {made.continuation}. To go on in a new session: {how}\n\n{render(found)}"
    return Said(
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
    about="Write down where this session is (.synapse/continuation/latest.md): current step, "
    "decisions, open items, errors and how they went away, files. Call it when little of the "
    "context window is left, or before the work goes to another agent.",
    fields=(Field("session", 'the session, its unique beginning, or "current" (the default)'),),
    run=_run,
    changes=True,
)
