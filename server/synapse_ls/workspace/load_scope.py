"""This module says how much of a tree is read: which kinds of files a scope lists by name only, and
which it passes over.
"""

from __future__ import annotations

from enum import StrEnum

from synapse_ls.workspace.file_kinds import FileKind


class LoadScope(StrEnum):
    """A LoadScope says how much of a tree is read: what a prompt needs, or everything."""

    PROMPT = "prompt"
    """What a prompt needs; agents, tasks, stories and workflows are listed by name only."""
    ALL = "all"


LISTED_KINDS = {
    LoadScope.PROMPT: frozenset(
        {
            FileKind.AGENT,
            FileKind.TASK,
            FileKind.STORY,
            FileKind.WORKFLOW,
            FileKind.ACCESS_LOG,
            FileKind.CHATI_TASK,
        }
    ),
    LoadScope.ALL: frozenset({FileKind.COMPONENT}),
}
SKIPPED_KINDS = {
    LoadScope.PROMPT: frozenset(
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
    LoadScope.ALL: frozenset({FileKind.SESSION}),
}
