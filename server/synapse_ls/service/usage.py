"""How much of the window is left, from the best source at hand.

A client's status line may have told the size of the window and what is used of it; the session
keeps that under ``context.status_line``::

    {"used": 151000, "window": 1000000, "model": "claude-opus-5", "compactions": 1}
"""

from __future__ import annotations

from synapse_ls.engine.usage import measure, of_turns
from synapse_ls.hosts import models
from synapse_ls.sessions.changes import prompts_since_compaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.usage import Usage

STATUS_LINE: Final = "status_line"
ORIGIN: Final = "Claude Code's status line"


def usage_of(
    plan: Plan,
    session: dict[str, Any] | None,
    figures: Mapping[str, object] | None = None,
    *,
    remaining: object = None,
) -> Usage:
    """The usage: given percentage → client's figures → figures kept in the session → prompts, and
    where there is no session the turns that the tree's own state counts.

    figures: ``used`` and ``window`` in tokens, or ``reported`` percent left, from a client; with
    the ``model`` of the window and the ``origin`` of the figures.
    """
    constants = {
        "tokens_per_prompt": plan.settings["tokens_per_prompt"],
        "default_window": plan.settings["max_context"],
    }
    if remaining is not None:
        return measure(reported=remaining, **constants)
    context = session.get("context") if session is not None else None
    context = context if isinstance(context, dict) else {}
    told = status_line(context)
    found = figures or _current(told, context) or _kept(context)
    if found:
        model = _text(found.get("model"))
        return measure(
            reported=found.get("reported"),
            used=found.get("used"),
            window=window_of(plan, found, told),
            origin=_text(found.get("origin")),
            model=model,
            **constants,
        )
    if session is None:
        counted = plan.settings.get("turns")
        return of_turns(*counted) if counted else measure(**constants)
    return measure(prompts=prompts_since_compaction(session), **constants)


def window_of(plan: Plan, figures: Mapping[str, object], told: Mapping[str, Any]) -> object:
    """The window of ``figures``: configuration → status line → figures → the default.

    The default gives way to a larger window that is known where more than that is in use.
    """
    model = _text(figures.get("model")) or _text(told.get("model"))
    configured = models.configured(model, plan.settings["windows"])
    if configured is not None:
        return configured
    if told and models.same(model, _text(told.get("model"))):
        return told["window"]
    window, used = figures.get("window"), figures.get("used")
    if window is None and isinstance(used, int):
        return models.raised(plan.settings["max_context"], used, model)
    return window


def status_line(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the client's status line told last, empty where it told no window."""
    told = context.get(STATUS_LINE)
    if not isinstance(told, dict):
        return {}
    window = told.get("window")
    sound = isinstance(window, int) and not isinstance(window, bool) and window > 0
    return told if sound else {}


def _current(told: Mapping[str, Any], context: Mapping[str, Any]) -> Mapping[str, object] | None:
    """The figures of the status line, if the history was not compacted since."""
    if told.get("used") is None or told.get("compactions") != context.get("compactions", 0):
        return None
    return {**told, "origin": ORIGIN}


def _kept(context: Mapping[str, Any]) -> Mapping[str, object] | None:
    kept = context.get("usage")
    told = isinstance(kept, dict) and (kept.get("used"), kept.get("reported")) != (None, None)
    return kept if told else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
