"""One slip for each rule about references between files."""

from __future__ import annotations

from tests.lint.mutants.mutant import MANIFEST, Mutant

MUTANTS = (
    Mutant("SYN201", MANIFEST, "SLEEPY_STATE", "DEPLOY_STATE=active\nSLEEPY_STATE", "DEPLOY"),
    Mutant(
        "SYN202", MANIFEST, "SLEEPY_STATE=inactive\n", "", "SLEEPY_RULE_0=Nobody reads this yet."
    ),
)
