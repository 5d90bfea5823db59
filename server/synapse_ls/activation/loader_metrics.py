"""This module reports how the agent of a session was activated (loaders, quality, milliseconds), as
the session has kept it (ADR-001 C7).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.storage.session_state import SessionState


def read_loader_metrics(session: SessionState | None) -> dict[str, dict[str, Any]]:
    """Returns loader -> what became of it, in order; empty where nothing is kept."""
    kept = session.agent.loaders if session else {}
    return {str(name): one for name, one in kept.items() if isinstance(one, dict)}


def activation_report(session: SessionState | None) -> dict[str, Any] | None:
    """Returns the activation as plain values; None where the session knows of none."""
    loaders = read_loader_metrics(session)
    if session is None or not loaders:
        return None
    agent = session.agent
    return {
        "session": session.id,
        "agent": agent.id,
        "quality": agent.quality,
        "activated_at": agent.activated_at,
        "milliseconds": agent.milliseconds,
        "loaders": loader_rows(loaders),
    }


def loader_rows(metrics: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns the loaders as rows."""
    fields = ("tier", "state", "milliseconds", "why")
    return [
        {"name": name, **{key: one.get(key) for key in fields}} for name, one in metrics.items()
    ]
