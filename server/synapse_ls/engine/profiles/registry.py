"""The profiles by name: a new one is a module here and a line below."""

from __future__ import annotations

from typing import Any

from synapse_ls.text.lazy import load

MODULES = {
    "synapse": "synapse",
    "synapse-live": "synapse_live",
}


def table(name: str) -> dict[str, Any] | None:
    """The table of the profile ``name``, or None where there is none of that name."""
    module = MODULES.get(name)
    if module is None:
        return None
    loaded: dict[str, Any] = load(f"synapse_ls.engine.profiles.{module}").PROFILE
    return loaded
