"""How much of a tree is read: a prompt needs the rules and names, linter and editor everything."""

from __future__ import annotations

from enum import StrEnum

from synapse_ls.workspace.kinds import FileKind


class Scope(StrEnum):
    """How much of a tree is read."""

    PROMPT = "prompt"
    """What a prompt needs; agents, tasks, stories and workflows are listed by name only."""
    ALL = "all"


LISTED = {
    Scope.PROMPT: frozenset(
        {
            FileKind.AGENT,
            FileKind.TASK,
            FileKind.STORY,
            FileKind.WORKFLOW,
            FileKind.ACCESS_LOG,
            FileKind.CHATI_TASK,
        }
    ),
    Scope.ALL: frozenset({FileKind.COMPONENT}),
}
PASSED_OVER = {
    Scope.PROMPT: frozenset(
        {
            FileKind.SESSION,
            FileKind.PATTERNS,
            FileKind.CHAINS,
            FileKind.TESTS,
            FileKind.MEMORY,
            FileKind.CONSTITUTION_SOURCE,
            FileKind.COMPONENT,
            FileKind.SYNCED,
            FileKind.CHATI_MEMORY,
            FileKind.CHATI_GOTCHAS,
            FileKind.CHATI_TRACKED,
            FileKind.CHATI_BRACKETS,
        }
    ),
    # Sessions change with every prompt and belong to the session store.
    Scope.ALL: frozenset({FileKind.SESSION}),
}
