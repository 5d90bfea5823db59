"""``memory_forget``: something is wrong or over."""

from __future__ import annotations

from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.said import Said
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.memory.places import reader_of
from synapse_ls.service.memories import enforces, memory_report, shown, store_of


def _run(root: str, given: Given) -> Said:
    record = store_of(root).forget(given["id"], reader=reader_of(given["agent"]))
    seen, archived = shown(root, record.id)
    text = f"{record.id} is forgotten: {record.title} (`synapse memory restore` brings it back)"
    return Said(text, {"memory": memory_report(seen, root, archived=archived)})


def _confirm(root: str, given: Given) -> str:
    if not enforces(root):
        return ""
    seen, _ = shown(root, given["id"], reader_of(given["agent"]))
    return f'Forget {seen.record.id}, "{seen.record.title}"? It can be restored.'


TOOL = Tool(
    name="memory_forget",
    title="Forget something",
    about="Puts a memory away that is wrong or no longer true, so that no agent is told it any more. "
    "It can be restored.",
    fields=(
        Field("id", "the id of the memory, as memory_search tells it", required=True),
        Field("agent", "the agent that asks, for one of its own"),
    ),
    run=_run,
    changes=True,
    confirm=_confirm,
    by_hand=lambda given: ["synapse", "memory", "forget", given["id"]],
)
