"""This module says in one line of the debug view how the agent at work was brought up
(activation, ADR-001 C7).

The figures are those that the session has kept, so that the line stays the same until the
next time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.storage.session_state import ActiveAgent

LOADED = "loaded"


def render_activation(agent: ActiveAgent | None) -> str:
    """Returns the line about the activation of a session's agent; "" where it was not brought up."""
    if agent is None or not agent.loaders:
        return ""
    parts = []
    for name, one in agent.loaders.items():
        if not isinstance(one, dict):
            continue
        took = one.get("milliseconds")
        time = f" {took:.0f} ms" if isinstance(took, int | float) else ""
        state = "" if one.get("state") == LOADED else f" {one.get('state')}"
        parts.append(f"{name}{state}{time}")
    return f"Activation: {agent.quality} ({', '.join(parts)})"
