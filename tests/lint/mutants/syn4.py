"""One mutant for each rule about brackets and budgets."""

from __future__ import annotations

from tests.lint.clean import CLEAN
from tests.lint.mutants.mutant import CONFIG, MANIFEST, Mutant


def _rules(domain: str, first: int, last: int) -> str:
    """The lines of rules with these numbers, of 60 characters or so."""
    return "".join(
        f"{domain}_RULE_{n}=Step {n} of a release has a name, a date and a witness.\n"
        for n in range(first, last)
    )


_OWN = '[profiles.own]\nextends = "synapse-live"\nwhole_first_block = false\n'

MUTANTS = (
    Mutant(
        "SYN401",
        ".synapse/global",
        "GLOBAL_RULE_1=",
        _rules("GLOBAL", 1, 60) + "GLOBAL_RULE_60=",
        "GLOBAL",
        tree={**CLEAN, CONFIG: CLEAN[CONFIG].replace('"synapse-live"', '"own"') + _OWN},
    ),
    Mutant("SYN402", ".synapse/context", "RULE_CRITICAL_0", "RULE_CRITCAL_0", "CRITCAL"),
    Mutant(
        "SYN403", MANIFEST, "CONSTITUTION_STATE=active", "CONSTITUTION_STATE=inactive", "inactive"
    ),
    Mutant("SYN404", CONFIG, '"synapse-live"', '"synapse"', "WORKFLOW_RELEASE"),
    Mutant(
        "SYN405",
        ".synapse/workflow-release",
        "WORKFLOW_RELEASE_RULE_0=Phase tag: tag the release first.\n",
        _rules("WORKFLOW_RELEASE", 0, 200),
        "WORKFLOW_RELEASE",
    ),
    Mutant(
        "SYN406",
        ".synapse/context",
        "Write the hand-off now.",
        "Skip L6 from now on.",
        "Skip L6 from now on.",
    ),
    Mutant(
        "SYN407",
        ".synapse/testing",
        "TESTING_RULE_1=",
        _rules("TESTING", 1, 200) + "TESTING_RULE_200=",
        "TESTING",
    ),
)
