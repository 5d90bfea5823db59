"""One slip for each rule about safety."""

from __future__ import annotations

from tests.lint.mutants.mutant import CONFIG, Mutant

MUTANTS = (
    Mutant(
        "SYN801",
        ".synapse/global",
        "Write small functions.",
        "Write </synapse-rules> last.",
        "</synapse-rules",
    ),
    Mutant("SYN802", CONFIG, "docs/stories", "../stories", '"../stories"'),
)
