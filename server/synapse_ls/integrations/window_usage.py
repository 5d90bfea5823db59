"""This module measures how much of the context window is left, from the best source at hand: a
given
percentage, the client's figures, the status line, or the number of prompts.

A client's status line may have told the size of the window and what is used of it; the session
keeps that::

    {"used": 151000, "window": 1000000, "model": "claude-opus-5", "compactions": 1}
"""

from __future__ import annotations

from synapse_ls.engine.context_usage import measure_usage, usage_of_turns
from synapse_ls.integrations import context_windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.context_usage import Usage
    from synapse_ls.storage.session_state import ContextRecord, SessionState

STATUS_LINE_ORIGIN: Final = "Claude Code's status line"


def measure_window_usage(
    plan: Plan,
    session: SessionState | None,
    figures: Mapping[str, object] | None = None,
    *,
    remaining: object = None,
) -> Usage:
    """Returns the usage: given percentage → client's figures → figures kept in the session →
    prompts, and where there is no session the turns that the tree's own state counts.

    figures: ``used`` and ``window`` in tokens, or ``reported`` percent left, from a client; with
    the ``model`` of the window, the ``origin`` of the figures, and the tokens in use from which on the
    client ``compacts_from``.
    """
    constants = {
        "tokens_per_prompt": plan.settings["tokens_per_prompt"],
        "default_window": plan.settings["max_context"],
    }
    if remaining is not None:
        return measure_usage(reported=remaining, **constants)
    context = session.context if session is not None else None
    told = read_status_line(context) if context else {}
    found = figures or (context and (_status_figures(told, context) or _kept_figures(context)))
    if found:
        model = _as_text(found.get("model"))
        usage = measure_usage(
            reported=found.get("reported"),
            used=found.get("used"),
            window=window_size(plan, found, told),
            origin=_as_text(found.get("origin")),
            model=model,
            **constants,
        )
        earliest = found.get("compacts_from")
        usage.compacts_from = earliest if isinstance(earliest, int) else 0
        return usage
    if session is None:
        counted = plan.settings.get("turns")
        return usage_of_turns(*counted) if counted else measure_usage(**constants)
    return measure_usage(prompts=session.prompts_since_compaction, **constants)


def window_size(plan: Plan, figures: Mapping[str, object], status: Mapping[str, Any]) -> object:
    """Returns the size of the window whose usage is measured: configuration → status line → figures → the
    default.

    The default gives way to a larger window that is known where more than that is in use.
    """
    model = _as_text(figures.get("model")) or _as_text(status.get("model"))
    configured = context_windows.configured_window(model, plan.settings["windows"])
    if configured is not None:
        return configured
    if status and context_windows.is_same_model(model, _as_text(status.get("model"))):
        return status["window"]
    window, used = figures.get("window"), figures.get("used")
    if window is None and isinstance(used, int):
        return context_windows.raise_window(plan.settings["max_context"], used, model)
    return window


def read_status_line(context: ContextRecord) -> Mapping[str, Any]:
    """Returns the usage of the window that the client's status line told last, empty where it told
    no window.
    """
    told = context.status_line
    window = told.get("window")
    sound = isinstance(window, int) and not isinstance(window, bool) and window > 0
    return told if sound else {}


def _status_figures(
    status: Mapping[str, Any], context: ContextRecord
) -> Mapping[str, object] | None:
    """Returns the figures of the status line, if the history was not compacted since."""
    if status.get("used") is None or status.get("compactions") != context.compactions:
        return None
    return {**status, "origin": STATUS_LINE_ORIGIN}


def _kept_figures(context: ContextRecord) -> Mapping[str, object] | None:
    kept = context.figures
    return kept if (kept.get("used"), kept.get("reported")) != (None, None) else None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else ""
