"""``memory_add``: something is worth remembering."""

from __future__ import annotations

import time

from synapse_ls.formats.memory_fields import CORRECTION, DEFAULT_TYPE, TYPES
from synapse_ls.mcp.fields import LIST, Field
from synapse_ls.mcp.said import Said
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.memory.places import reader_of
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.memories import enforces, memory_report, shown, store_of

_SCOPES = ("shared", "private")


def _run(root: str, given: Given) -> Said:
    agent, kind = reader_of(given["agent"]), given["type"] or DEFAULT_TYPE
    scope = given["scope"] or "shared"
    if scope == "private" and not agent:
        raise ServiceError("A private memory belongs to an agent.", "Give the agent.")
    record = store_of(root).remember(
        given["text"],
        now=time.time(),
        title=given["title"],
        type=kind,
        tags=given["tags"],
        agent=agent,
        scope=scope,
        source="an agent",
    )
    seen, _ = shown(root, record.id)
    verb = "remembered" if record.evidence == 1 else f"confirmed for the {record.evidence}. time"
    text = f"{record.id} {verb}: {record.title} ({seen.score.tier.upper()})"
    return Said(text, {"memory": memory_report(seen, root)})


def _confirm(root: str, given: Given) -> str:
    if not enforces(root):
        return ""
    what = " ".join((given["title"] or given["text"]).split())
    kind = "as a correction by the user" if given["type"] == CORRECTION else "for later sessions"
    return f'Remember "{what[:200]}" {kind}?'


TOOL = Tool(
    name="memory_add",
    title="Remember something",
    about="Keeps something for later sessions, after the user has agreed: a decision, a correction by "
    "the user, a pitfall with its resolution. The same text again counts as further evidence.",
    fields=(
        Field("text", "what to remember, in one or a few sentences", required=True),
        Field("title", "a line that names it"),
        Field("type", f"what it is; {DEFAULT_TYPE} unless given", choices=tuple(TYPES)),
        Field("tags", "what it is about", kind=LIST),
        Field("agent", "the agent that has learned it"),
        Field("scope", "private: for this agent alone; shared unless given", choices=_SCOPES),
    ),
    run=_run,
    changes=True,
    idempotent=False,
    confirm=_confirm,
    by_hand=lambda given: ["synapse", "memory", "add", given["text"]],
)
