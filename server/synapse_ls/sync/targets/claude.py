"""Claude Code. Source: Claude Code documentation, "Manage Claude's memory".

``paths`` is a quoted text with commas: some versions pass over a list. HTML comments, and so our
marks, are not shown to the model.
"""

from __future__ import annotations

from synapse_ls.sync.globs import Dialect, quoted
from synapse_ls.sync.target import Limit, Place, Target

_LONG = Limit(200, "lines", "Claude Code's documentation advises to stay below that")


def _front(_: str, globs: tuple[str, ...]) -> str:
    return f"---\npaths: {quoted(', '.join(globs))}\n---\n"


TARGET = Target(
    name="claude",
    title="Claude Code",
    standing=Place("CLAUDE.md", limit=_LONG),
    by_path=Place(".claude/rules/synapse-{}.md", _front, _LONG),
    dialect=Dialect("Claude Code", anchored=True, lacking=frozenset(",")),
    clients=("claude",),
    imports=True,
)
