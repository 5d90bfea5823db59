"""One slip for each rule about rule content."""

from __future__ import annotations

from tests.lint.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "SYN501",
        ".synapse/commands",
        "COMMANDS_RULE_PLAN_0=Outline the approach first.\n",
        "",
        "plan",
    ),
    Mutant(
        "SYN502",
        ".synapse/constitution",
        "CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)\n",
        "",
        "CONSTITUTION_RULE_ART1_1",
    ),
    Mutant("SYN503", ".synapse/constitution", "NON-NEGOTIABLE", "NON-NEGOTIABEL", "NON-NEGOTIABEL"),
)
