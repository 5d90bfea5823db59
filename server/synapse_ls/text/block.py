"""The markup of a block: what rule text must neither contain nor imitate."""

from __future__ import annotations

BLOCK_TAGS = ("synapse-rules", "carl-rules", "chati-context")
SECTION_HEADINGS = (
    "WITHDRAWN",
    "CONSTITUTION",
    "GLOBAL",
    "ACTIVE AGENT",
    "ACTIVE WORKFLOW",
    "SQUAD",
    "TASK CONTEXT",
    "KEYWORD MATCHES",
    "MEMORY HINTS",
    "CONTEXT BRACKET",
    "STAR-COMMANDS",
    "SYNAPSE",
    "HANDOFF WARNING",
    "DEVMODE STATUS",
    "NOTICE",
    "LOADED DOMAINS SUMMARY",
)
