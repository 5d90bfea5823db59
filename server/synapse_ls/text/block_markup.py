"""The tags and section headings of an injected block, which rule text must not imitate."""

from __future__ import annotations

BLOCK_TAGS = ("synapse-rules", "carl-rules", "chati-context")
# Tags in which agent clients tell the model what the user did not write.
CLIENT_TAGS = (
    *("system-reminder", "user-prompt-submit-hook", "local-command-stdout", "local-command-stderr"),
    *("command-name", "command-message", "command-args"),
)

# Tags by which a rule would pass for something else.
FORGEABLE_TAGS = (*BLOCK_TAGS, *CLIENT_TAGS)

SECTION_HEADINGS = (
    "WITHDRAWN", "CONSTITUTION", "GLOBAL", "ACTIVE AGENT", "ACTIVE WORKFLOW", "SQUAD",
    "TASK CONTEXT", "KEYWORD MATCHES", "MEMORY HINTS", "CONTEXT BRACKET", "STAR-COMMANDS",
    "SYNAPSE", "HANDOFF WARNING", "CONTINUATION", "DEVMODE STATUS", "NOTICE",
    "LOADED DOMAINS SUMMARY",
)  # fmt: skip
