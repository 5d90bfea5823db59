"""The instruction files of Cursor: its project rules in ``.cursor/rules``.

``globs`` is a text with commas; quotes in it are taken as they stand.

Source: Cursor documentation, "Rules".
"""

from __future__ import annotations

from synapse_ls.integrations.instruction_targets import (
    GlobDialect,
    InstructionPlace,
    SizeLimit,
    SyncTarget,
    join_globs,
)

_LENGTH_LIMIT = SizeLimit(500, "lines", "Cursor advises to stay below that")


def _front_matter(description: str, globs: tuple[str, ...]) -> str:
    always = "false" if globs else "true"
    listed = join_globs(globs)
    fields = f"description: {description}\nglobs: {listed}".rstrip(" ")
    return f"---\n{fields}\nalwaysApply: {always}\n---\n"


TARGET = SyncTarget(
    name="cursor",
    title="Cursor",
    main_place=InstructionPlace(".cursor/rules/synapse.mdc", _front_matter, _LENGTH_LIMIT),
    scoped_place=InstructionPlace(".cursor/rules/synapse-{}.mdc", _front_matter, _LENGTH_LIMIT),
    dialect=GlobDialect("Cursor", is_anchored=True, unmatchable=frozenset(",")),
    clients=("cursor",),
)
