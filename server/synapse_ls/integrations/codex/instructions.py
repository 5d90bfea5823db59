"""``AGENTS.md``, the instruction file of Codex, which OpenCode, Kilo Code, Cline and many other
agents read too.

Source: agents.md; Codex documentation, ``project_doc_max_bytes``; OpenCode 1.18.33, Kilo 7.7.9,
Cline 3.0.65.
"""

from __future__ import annotations

from synapse_ls.integrations.instruction_targets import InstructionPlace, SizeLimit, SyncTarget

TARGET = SyncTarget(
    name="agents",
    title="Codex and others",
    main_place=InstructionPlace(
        "AGENTS.md", limit=SizeLimit(32_768, "bytes", "Codex reads no more unless it is told to")
    ),
    clients=("codex", "opencode", "kilo", "cline"),
    other_readers=("vscode", "copilot", "cursor"),
)
