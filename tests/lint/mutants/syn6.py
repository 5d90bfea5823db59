"""One mutant for each rule about squads."""

from __future__ import annotations

from tests.lint.mutants.mutant import MANIFEST, SQUAD, SQUAD_MANIFEST, Mutant

AGENT = "squads/etl-squad/agents/loader.md"
FOLDER = {
    ".synapse/manifest": "GLOBAL_STATE=active\n",
    ".synapse/global": "GLOBAL_RULE_0=Be quick.\n",
    AGENT: "---\ntitle: loader\n---\n# Loader\n",
}

MUTANTS = (
    Mutant("SYN601", SQUAD, "version: 1.0.0", "version: one", "one"),
    Mutant("SYN602", SQUAD_MANIFEST, "ETL_EXTENDS=extend", "ETL_EXTENDS=extand", "extand"),
    Mutant("SYN603", SQUAD_MANIFEST, "ETL_EXTENDS=extend", "ETL_EXTENDS=none", "none"),
    Mutant("SYN604", MANIFEST, "SLEEPY", "ETL_PIPELINE_STATE=inactive\nSLEEPY", "PIPELINE"),
    Mutant("SYN605", SQUAD, "[done.md]", "[dune.md]", "dune.md"),
    Mutant("SYN606", "squads/storage-squad/.synapse/manifest", "TABLES", "CONTEXT", "CONTEXT"),
    Mutant(
        "SYN607",
        "squads/later-squad/.synapse/manifest",
        "LATER_STATE=inactive\n",
        "# Later.\n",
        "# Later.",
    ),
    Mutant("SYN608", SQUAD, "name: etl-squad", "name: extract-load", "extract-load"),
    Mutant("SYN609", AGENT, "title: loader", "name: loader", "", tree=FOLDER),
)
