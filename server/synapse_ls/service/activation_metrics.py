"""How the agent of a session was brought up, as the session has kept it (ADR-001 C7)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Session = Mapping[str, Any]


def session_loaders(session: Session | None) -> dict[str, dict[str, Any]]:
    """Loader -> what became of it, in order; empty where nothing is kept."""
    agent = session.get("active_agent") if session else None
    kept = agent.get("loaders") if isinstance(agent, dict) else None
    if not isinstance(kept, dict):
        return {}
    return {str(name): one for name, one in kept.items() if isinstance(one, dict)}


def activation_report(session: Session | None) -> dict[str, Any] | None:
    """The activation as plain values; None where the session knows of none."""
    loaders = session_loaders(session)
    if session is None or not loaders:
        return None
    agent = session["active_agent"]
    return {
        "session": session.get("uuid"),
        "agent": agent.get("id"),
        "quality": agent.get("activation_quality"),
        "activated_at": agent.get("activated_at"),
        "milliseconds": agent.get("milliseconds"),
        "loaders": loader_rows(loaders),
    }


def loader_rows(kept: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The loaders as rows."""
    fields = ("tier", "state", "milliseconds", "why")
    return [{"name": name, **{key: one.get(key) for key in fields}} for name, one in kept.items()]
