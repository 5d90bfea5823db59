"""List the places of Brainiac's files: identity, short-term memory, long-term memory, access log.

Source: Brainiac Context Ordering.
"""

from __future__ import annotations

from synapse_ls.workspace.file_kinds import ACCESS_FILE, FileKind, Place

IDENTITY = "system/core_identity.md"
SHORT_TERM = "memory/short_term.md"
LONG_TERM = "memory/long_term"
INDEX = "_index.md"

MARKDOWN_KINDS = frozenset(
    {FileKind.IDENTITY, FileKind.SHORT_TERM, FileKind.LONG_TERM, FileKind.MEMORY_INDEX}
)
PLAN_KINDS = MARKDOWN_KINDS | {FileKind.ACCESS_LOG, FileKind.SECTION}
"""Kinds of the files whose text a plan is made of, sections included."""

PLACES = (
    Place(IDENTITY, FileKind.IDENTITY, essential=True),
    Place(SHORT_TERM, FileKind.SHORT_TERM, essential=True),
    Place(
        LONG_TERM,
        FileKind.LONG_TERM,
        (".md",),
        deep=True,
        special_names=((INDEX, FileKind.MEMORY_INDEX),),
        confined=True,
    ),
    Place(ACCESS_FILE, FileKind.ACCESS_LOG),
)
