"""One mutant for each rule about memories."""

from __future__ import annotations

from tests.lint.mutants.mutant import Mutant

MEMORY = ".synapse/memory/shared/durable/mem-2026-01-02-001.md"
OTHER = ".synapse/memory/agents/dev/durable/mem-2026-01-02-002.md"

MUTANTS = (
    Mutant("SYN901", MEMORY, "tags: [tests]", "tags [tests]", "tags [tests]"),
    Mutant("SYN902", MEMORY, "sector: procedural", "sector: procedual", "procedual"),
    Mutant(
        "SYN903", MEMORY, "id: mem-2026-01-02-001", "id: mem-2026-01-02-002", "mem-2026-01-02-002"
    ),
    Mutant("SYN904", OTHER, "agent: dev", "agent: qa", "qa"),
    Mutant("SYN905", MEMORY, "2999-01-31", "1999-01-31", "---"),
)
