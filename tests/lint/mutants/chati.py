"""Mutants of the files of Chati.dev."""

from __future__ import annotations

from synapse_ls.workspace import chati_places
from tests.lint.mutants.mutant import Mutant

LONG = "Follow the conventions that are there, and say why where you do not. " * 60

MUTANTS = (
    Mutant("SYN040", chati_places.SESSION, "autonomous", "automatic", "automatic"),
    Mutant("SYN041", chati_places.GLOBAL, "  - id: english\n    text", "  - text", "text"),
    Mutant("SYN042", chati_places.ARTICLES, "rules:\n", "articles: {}\nrules:\n", "articles"),
    Mutant(
        "SYN043",
        "chati.dev/agents/planning/brief.md",
        "## Mission\n\nExtract requirements.\n",
        "",
        "Brief Agent",
    ),
    Mutant("SYN044", chati_places.BRACKETS, "Articles I-II", "Articles I-III", "III"),
    Mutant("SYN045", chati_places.ARTICLES, ">= 95%", ">= 90%", "90%"),
    Mutant("SYN046", chati_places.SESSION, "mode: build\n", "mode: planning\n", "planning"),
    Mutant("SYN047", chati_places.SESSION, "current_agent: dev", "current_agent: dve", "dve"),
    Mutant(
        "SYN048",
        chati_places.SESSION,
        "handoffs/qa-planning-handoff.md",
        "handoffs/qa-handoff.md",
        "chati.dev/artifacts/handoffs/qa-handoff.md",
    ),
    Mutant("SYN049", "chati.dev/intelligence/gotchas.yaml", "G003", "G001", "G001"),
    Mutant("SYN050", chati_places.BRACKETS, "25-40%", "25-35%", "25-35%"),
    Mutant("SYN051", chati_places.GLOBAL, "Follow the conventions that are there.", LONG, "rules:"),
)
