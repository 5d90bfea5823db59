"""One mutant for each rule about activation and keywords."""

from __future__ import annotations

from tests.lint.mutants.mutant import MANIFEST, Mutant

MUTANTS = (
    Mutant("SYN301", MANIFEST, "coverage", "coverage,", ","),
    Mutant("SYN302", MANIFEST, "EXCLUDE=manual", "EXCLUDE=unit", "unit test"),
    Mutant("SYN303", MANIFEST, "TRIGGER=dev", "TRIGGER=dve", "dve"),
    Mutant("SYN304", MANIFEST, "=release_train", "=relaese_train", "relaese_train"),
    Mutant("SYN305", MANIFEST, "TRIGGER=qa", "TRIGGER=dev", "dev"),
    Mutant("SYN306", MANIFEST, "coverage", "with", "with"),
    Mutant("SYN307", MANIFEST, "coverage", "code", "code"),
    Mutant("SYN308", MANIFEST, "coverage", "unit", "unit test"),
    Mutant("SYN309", MANIFEST, "coverage", '"coverage"', '"coverage"'),
    Mutant(
        "SYN310",
        MANIFEST,
        "GUARDRAILS_ALWAYS_ON=true\n",
        "GUARDRAILS_ALWAYS_ON=true\nGUARDRAILS_RECALL=secret\n",
        "GUARDRAILS_RECALL",
    ),
    Mutant("SYN312", MANIFEST, "GUARDRAILS_ALWAYS_ON=true\n", "", "GUARDRAILS"),
    Mutant("SYN313", MANIFEST, "GLOBAL_EXCLUDE=draft", "GLOBAL_EXCLUDE=dist/**", "dist/**"),
    Mutant(
        "SYN314",
        MANIFEST,
        "GUARDRAILS_ALWAYS_ON=true\n",
        "GUARDRAILS_ALWAYS_ON=true\nTESTING_PATHS=src\\**\n",
        "src\\**",
    ),
)
