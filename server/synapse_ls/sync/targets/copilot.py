"""GitHub Copilot, in VS Code and on the command line. Source: VS Code documentation, "Use custom
instructions"; GitHub documentation, "Adding repository custom instructions".

VS Code applies a glob of ``applyTo`` below every folder.
"""

from __future__ import annotations

from synapse_ls.sync.globs import Dialect, comma_separated, quoted
from synapse_ls.sync.target import Limit, Place, Target

_REVIEWED = Limit(4000, "characters", "Copilot's code review reads no more")


def _front(description: str, globs: tuple[str, ...]) -> str:
    return (
        f"---\ndescription: {quoted(description)}\napplyTo: {quoted(comma_separated(globs))}\n---\n"
    )


TARGET = Target(
    name="copilot",
    title="GitHub Copilot",
    standing=Place(".github/copilot-instructions.md", limit=_REVIEWED),
    by_path=Place(".github/instructions/synapse-{}.instructions.md", _front, _REVIEWED),
    dialect=Dialect("VS Code", anchored=False),
    clients=("vscode", "copilot"),
)
