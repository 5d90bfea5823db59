"""How the agent at work was brought up, in one line for the debug view (ADR-001 C7).

The figures are those that the session has kept, so that the line stays the same until the next time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LOADED = "loaded"


def told(kept: Mapping[str, Any]) -> str:
    """``kept`` is ``active_agent`` of a session; "" where it was not brought up."""
    loaders = kept.get("loaders")
    if not isinstance(loaders, dict) or not loaders:
        return ""
    parts = []
    for name, one in loaders.items():
        if not isinstance(one, dict):
            continue
        took = one.get("milliseconds")
        time = f" {took:.0f} ms" if isinstance(took, int | float) else ""
        state = "" if one.get("state") == LOADED else f" {one.get('state')}"
        parts.append(f"{name}{state}{time}")
    return f"Activation: {kept.get('activation_quality')} ({', '.join(parts)})"
