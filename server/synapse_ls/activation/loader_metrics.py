"""This module holds the metrics of loaders: what became of each when the agent of a session was
activated, milliseconds, and the quality of the activation (ADR-001 C7).
"""

from __future__ import annotations

from synapse_ls.activation.activation_loaders import LATE, LOADED, LoaderOutcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.storage.current_plan import CurrentPlan
    from synapse_ls.storage.session_state import SessionState

HIGH, BEST_EFFORT = "high", "best effort"
TREE_LOADER = "tree"
FULL, PARTIAL, FALLBACK = "full", "partial", "fallback"
"""Qualities of an activation: all is known, something is missing, the definition is."""


def read_loader_metrics(session: SessionState | None) -> dict[str, dict[str, Any]]:
    """Returns the metrics of loaders that a session has kept, in order; empty where nothing is
    kept.
    """
    kept = session.agent.loaders if session else {}
    return {str(name): one for name, one in kept.items() if isinstance(one, dict)}


def activation_report(session: SessionState | None) -> dict[str, Any] | None:
    """Returns the metrics of an activation's loaders as plain values; None where the session knows
    of none.
    """
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
    """Returns the metrics of loaders as rows."""
    fields = ("tier", "state", "milliseconds", "why")
    return [
        {"name": name, **{key: one.get(key) for key in fields}} for name, one in metrics.items()
    ]


def loader_metrics(outcomes: Mapping[str, LoaderOutcome]) -> dict[str, dict[str, Any]]:
    """Returns the metrics of each loader, as a session keeps them."""
    return {
        name: {
            "state": one.state,
            "tier": one.tier,
            "milliseconds": round(one.seconds * 1000, 1),
            **({"why": one.why} if one.why else {}),
        }
        for name, one in outcomes.items()
    }


def activation_quality(outcomes: Mapping[str, LoaderOutcome]) -> str:
    """Returns the quality of an activation ("full", "partial" or "fallback"), by the metrics of its
    loaders.
    """
    if outcomes["definition"].state != LOADED:
        return FALLBACK
    return FULL if all(one.state == LOADED for one in outcomes.values()) else PARTIAL


def tree_outcome(found: CurrentPlan, seconds: float) -> LoaderOutcome:
    """Returns the metrics of the loader that reads the tree, which took so long."""
    if not found.incomplete:
        return LoaderOutcome(TREE_LOADER, HIGH, LOADED, seconds=seconds)
    listed = "; ".join(found.notes[:2])
    why = "not all of it was read in time" + (f" ({listed})" if listed else "")
    return LoaderOutcome(TREE_LOADER, HIGH, LATE, why=why, seconds=seconds)
