"""The instruction files of GitHub Copilot, in VS Code and on the command line.

VS Code applies a glob of ``applyTo`` below every folder.

Source: VS Code documentation, "Use custom instructions"; GitHub documentation, "Adding
repository custom instructions".
"""

from __future__ import annotations

from synapse_ls.integrations.instruction_targets import (
    GlobDialect,
    InstructionPlace,
    SizeLimit,
    SyncTarget,
    join_globs,
    quote_yaml,
)

_REVIEW_LIMIT = SizeLimit(4000, "characters", "Copilot's code review reads no more")


def _front_matter(description: str, globs: tuple[str, ...]) -> str:
    return (
        f"---\ndescription: {quote_yaml(description)}\napplyTo: "
        f"{quote_yaml(join_globs(globs))}\n---\n"
    )


TARGET = SyncTarget(
    name="copilot",
    title="GitHub Copilot",
    main_place=InstructionPlace(".github/copilot-instructions.md", limit=_REVIEW_LIMIT),
    scoped_place=InstructionPlace(
        ".github/instructions/synapse-{}.instructions.md", _front_matter, _REVIEW_LIMIT
    ),
    dialect=GlobDialect("VS Code", is_anchored=False),
    clients=("vscode", "copilot"),
)
