"""One slip for each rule about activation and keywords."""

from __future__ import annotations

from tests.lint.mutants.mutant import MANIFEST, Mutant

MUTANTS = (
    Mutant("SYN301", MANIFEST, "coverage", "coverage,", ","),
    Mutant("SYN302", MANIFEST, "EXCLUDE=manual", "EXCLUDE=unit", "unit test"),
    Mutant("SYN303", MANIFEST, "TRIGGER=qa", "TRIGGER=quality", "quality"),
    Mutant("SYN304", MANIFEST, "=release_train", "=relaese_train", "relaese_train"),
    Mutant("SYN305", MANIFEST, "TRIGGER=qa", "TRIGGER=dev", "dev"),
)
