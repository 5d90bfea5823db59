"""Gemini CLI. Source: Gemini CLI documentation, "Provide context with GEMINI.md files".

It knows no rules for some files only.
"""

from __future__ import annotations

from synapse_ls.sync.target import Place, Target

TARGET = Target(
    name="gemini",
    title="Gemini CLI",
    standing=Place("GEMINI.md"),
    clients=("gemini",),
    imports=True,
)
