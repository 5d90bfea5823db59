"""``AGENTS.md``, which many agents read. Source: agents.md; Codex documentation,
``project_doc_max_bytes``.
"""

from __future__ import annotations

from synapse_ls.sync.target import Limit, Place, Target

TARGET = Target(
    name="agents",
    title="Codex and others",
    standing=Place(
        "AGENTS.md", limit=Limit(32_768, "bytes", "Codex reads no more unless it is told to")
    ),
    clients=("codex",),
    also=("vscode", "copilot", "cursor"),
)
