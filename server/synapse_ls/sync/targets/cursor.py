"""Cursor: project rules. Source: Cursor documentation, "Rules".

``globs`` is a text with commas; quotes in it are taken as they stand.
"""

from __future__ import annotations

from synapse_ls.sync.globs import Dialect, comma_separated
from synapse_ls.sync.target import Limit, Place, Target

_LONG = Limit(500, "lines", "Cursor advises to stay below that")


def _front(description: str, globs: tuple[str, ...]) -> str:
    always = "false" if globs else "true"
    listed = comma_separated(globs)
    fields = f"description: {description}\nglobs: {listed}".rstrip(" ")
    return f"---\n{fields}\nalwaysApply: {always}\n---\n"


TARGET = Target(
    name="cursor",
    title="Cursor",
    standing=Place(".cursor/rules/synapse.mdc", _front, _LONG),
    by_path=Place(".cursor/rules/synapse-{}.mdc", _front, _LONG),
    dialect=Dialect("Cursor", anchored=True, lacking=frozenset(",")),
    clients=("cursor",),
)
