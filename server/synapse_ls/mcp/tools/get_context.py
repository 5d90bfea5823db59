"""``get_context``: the block, byte for byte as ``synapse context`` prints it."""

from __future__ import annotations

from synapse_ls.mcp.said import Said
from synapse_ls.mcp.situation import SITUATION, asked
from synapse_ls.mcp.tools.tool import Given, Tool


def _run(root: str, given: Given) -> Said:
    return Said(asked(root, given).assembly.text)


TOOL = Tool(
    name="get_context",
    title="Rules for a prompt",
    about="The rules of this project that apply to a prompt in a situation, as one block. Asking "
    "changes nothing. Without arguments it is what the next prompt of the current session meets.",
    fields=SITUATION,
    run=_run,
)
