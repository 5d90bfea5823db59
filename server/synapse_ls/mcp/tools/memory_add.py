"""This module is the MCP tool ``memory_add``: it keeps something that is worth remembering."""

from __future__ import annotations

import time

from synapse_ls.formats.memory_fields import CORRECTION_TYPE, DEFAULT_TYPE, TYPES
from synapse_ls.mcp.tool_arguments import LIST, ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, note_lines
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.memory.memory_paths import reader_name
from synapse_ls.queries.guard_report import is_guard_enforced
from synapse_ls.queries.memory_listing import find_memory, memory_report, open_store, secret_notes
from synapse_ls.queries.report_model import to_json
from synapse_ls.storage.user_error import UserError

_SCOPES = ("shared", "private")


def _run(root: str, arguments: Arguments) -> ToolResult:
    agent, kind = reader_name(arguments["agent"]), arguments["type"] or DEFAULT_TYPE
    scope = arguments["scope"] or "shared"
    if scope == "private" and not agent:
        raise UserError("A private memory belongs to an agent.", "Give the agent.")
    record = open_store(root).remember(
        arguments["text"],
        now=time.time(),
        title=arguments["title"],
        type=kind,
        tags=arguments["tags"],
        agent=agent,
        scope=scope,
        source="an agent",
    )
    seen, _ = find_memory(root, record.id)
    verb = "remembered" if record.evidence == 1 else f"confirmed for the {record.evidence}. time"
    text = f"{record.id} {verb}: {record.title} ({seen.score.tier.upper()})"
    notes = secret_notes(record)
    return ToolResult(
        "\n".join([text, *note_lines(notes)]),
        {"memory": to_json(memory_report(seen, root)), "notes": list(notes)},
    )


def _consent_question(root: str, arguments: Arguments) -> str:
    if not is_guard_enforced(root):
        return ""
    what = " ".join((arguments["title"] or arguments["text"]).split())
    kind = (
        "as a correction by the user"
        if arguments["type"] == CORRECTION_TYPE
        else "for later sessions"
    )
    return f'Remember "{what[:200]}" {kind}?'


TOOL = Tool(
    name="memory_add",
    title="Remember something",
    description="Keeps something for later sessions, after the user has agreed: a decision, a correction by "
    "the user, a pitfall with its resolution. The same text again counts as further evidence.",
    arguments=(
        ToolArgument("text", "what to remember, in one or a few sentences", required=True),
        ToolArgument("title", "a line that names it"),
        ToolArgument("type", f"what it is; {DEFAULT_TYPE} unless given", choices=tuple(TYPES)),
        ToolArgument("tags", "what it is about", kind=LIST),
        ToolArgument("agent", "the agent that has learned it"),
        ToolArgument(
            "scope", "private: for this agent alone; shared unless given", choices=_SCOPES
        ),
    ),
    run=_run,
    is_changing=True,
    idempotent=False,
    consent_question=_consent_question,
    command_words=lambda given: ["synapse", "memory", "add", given["text"]],
)
