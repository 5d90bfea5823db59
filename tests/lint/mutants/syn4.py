"""One slip for each rule about brackets and budgets."""

from __future__ import annotations

from tests.lint.mutants.mutant import MANIFEST, Mutant

MUTANTS = (
    Mutant(
        "SYN401",
        ".synapse/global",
        "Write small functions.",
        f"Write {'very ' * 640}small functions.",
        "GLOBAL",
    ),
    Mutant("SYN402", ".synapse/context", "RULE_CRITICAL_0", "RULE_CRITCAL_0", "CRITCAL"),
    Mutant(
        "SYN403", MANIFEST, "CONSTITUTION_STATE=active", "CONSTITUTION_STATE=inactive", "inactive"
    ),
)
