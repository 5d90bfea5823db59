"""One slip for each rule about workflows, tasks, stories, agents and sessions."""

from __future__ import annotations

from tests.lint.mutants.mutant import STATE, Mutant

MUTANTS = (
    Mutant("SYN701", STATE, "status: active", "status: busy", "busy"),
    Mutant("SYN702", "squads/etl-squad/workflows/load.yaml", "  id: load\n", "", "name"),
)
