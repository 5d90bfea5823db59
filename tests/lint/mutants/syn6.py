"""One slip for each rule about squads."""

from __future__ import annotations

from tests.lint.mutants.mutant import SQUAD, SQUAD_MANIFEST, Mutant

MUTANTS = (
    Mutant("SYN601", SQUAD, "version: 1.0.0", "version: one", "one"),
    Mutant("SYN602", SQUAD_MANIFEST, "ETL_EXTENDS=extend", "ETL_EXTENDS=extand", "extand"),
    Mutant("SYN603", SQUAD_MANIFEST, "ETL_EXTENDS=extend", "ETL_EXTENDS=none", "none"),
)
