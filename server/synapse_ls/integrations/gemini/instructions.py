"""The instruction file of Gemini CLI, ``GEMINI.md``.

It knows no rules for some files only.

Source: Gemini CLI documentation, "Provide context with GEMINI.md files".
"""

from __future__ import annotations

from synapse_ls.integrations.instruction_targets import InstructionPlace, SyncTarget

TARGET = SyncTarget(
    name="gemini",
    title="Gemini CLI",
    main_place=InstructionPlace("GEMINI.md"),
    clients=("gemini",),
    imports=True,
)
