"""The instruction files of Claude Code: ``CLAUDE.md`` and ``.claude/rules``.

``paths`` is a quoted text with commas: some versions pass over a list. HTML comments, and so
our marks, are not shown to the model.

Source: Claude Code documentation, "Manage Claude's memory".
"""

from __future__ import annotations

from synapse_ls.integrations.instruction_targets import (
    GlobDialect,
    InstructionPlace,
    SizeLimit,
    SyncTarget,
    quote_yaml,
)

_LENGTH_LIMIT = SizeLimit(200, "lines", "Claude Code's documentation advises to stay below that")


def _front_matter(_: str, globs: tuple[str, ...]) -> str:
    return f"---\npaths: {quote_yaml(', '.join(globs))}\n---\n"


TARGET = SyncTarget(
    name="claude",
    title="Claude Code",
    main_place=InstructionPlace("CLAUDE.md", limit=_LENGTH_LIMIT),
    scoped_place=InstructionPlace(".claude/rules/synapse-{}.md", _front_matter, _LENGTH_LIMIT),
    dialect=GlobDialect("Claude Code", is_anchored=True, unmatchable=frozenset(",")),
    clients=("claude",),
    imports=True,
)
