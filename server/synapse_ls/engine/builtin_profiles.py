"""This module lists the built-in profiles by name, and loads the table of one.

A new profile is a table in ``systems/*/profile.py`` and a line here; each line names the
system and the table.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.text.lazy_import import load_module

PROFILE_TABLES = {
    "synapse": "synapse",
    "synapse-live": "synapse:LIVE_PROFILE",
    "chati": "chati",
    "carl": "carl",
    "carl-v2": "carl:V2_PROFILE",
    "brainiac": "brainiac",
    "brainiac-reflection": "brainiac:REFLECTION",
    "brainiac-promotion": "brainiac:PROMOTION",
    "brainiac-organization": "brainiac:ORGANIZATION",
    "plain": "plain",
}


def load_profile_table(name: str) -> dict[str, Any] | None:
    """Returns the table of the built-in profile ``name``, or None where there is none of that name."""
    module = PROFILE_TABLES.get(name)
    if module is None:
        return None
    module, _, name = module.partition(":")
    loaded: dict[str, Any] = getattr(
        load_module(f"synapse_ls.engine.systems.{module}.profile"), name or "PROFILE"
    )
    return loaded
