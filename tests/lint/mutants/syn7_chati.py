"""Slips in the files of Chati.dev."""

from __future__ import annotations

from synapse_ls.workspace.systems import chati
from tests.lint.mutants.mutant import Mutant

LONG = "Follow the conventions that are there, and say why where you do not. " * 60

MUTANTS = (
    Mutant("SYN740", chati.SESSION, "autonomous", "automatic", "automatic"),
    Mutant("SYN741", chati.GLOBAL, "  - id: english\n    text", "  - text", "text"),
    Mutant("SYN742", chati.ARTICLES, "rules:\n", "articles: {}\nrules:\n", "articles"),
    Mutant(
        "SYN743",
        "chati.dev/agents/planning/brief.md",
        "## Mission\n\nExtract requirements.\n",
        "",
        "Brief Agent",
    ),
    Mutant("SYN744", chati.BRACKETS, "Articles I-II", "Articles I-III", "III"),
    Mutant("SYN745", chati.ARTICLES, ">= 95%", ">= 90%", "90%"),
    Mutant("SYN746", chati.SESSION, "mode: build\n", "mode: planning\n", "planning"),
    Mutant("SYN747", chati.SESSION, "current_agent: dev", "current_agent: dve", "dve"),
    Mutant(
        "SYN748",
        chati.SESSION,
        "handoffs/qa-planning-handoff.md",
        "handoffs/qa-handoff.md",
        "chati.dev/artifacts/handoffs/qa-handoff.md",
    ),
    Mutant("SYN749", "chati.dev/intelligence/gotchas.yaml", "G003", "G001", "G001"),
    Mutant("SYN750", chati.BRACKETS, "25-40%", "25-35%", "25-35%"),
    Mutant("SYN751", chati.GLOBAL, "Follow the conventions that are there.", LONG, "rules:"),
)
