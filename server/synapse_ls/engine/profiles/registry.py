"""The profiles by name: a new one is a module here and a line below.

A module with more than one names the table behind a colon.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.text.lazy import load

MODULES = {
    "synapse": "synapse",
    "synapse-live": "synapse_live",
    "chati": "chati",
    "carl": "carl",
    "carl-v2": "carl_v2",
    "brainiac": "brainiac",
    "brainiac-reflection": "brainiac:REFLECTION",
    "brainiac-promotion": "brainiac:PROMOTION",
    "brainiac-organization": "brainiac:ORGANIZATION",
    "plain": "plain",
}


def table(name: str) -> dict[str, Any] | None:
    """The table of the profile ``name``, or None where there is none of that name."""
    module = MODULES.get(name)
    if module is None:
        return None
    module, _, name = module.partition(":")
    loaded: dict[str, Any] = getattr(
        load(f"synapse_ls.engine.profiles.{module}"), name or "PROFILE"
    )
    return loaded
