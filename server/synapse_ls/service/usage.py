"""How much of the window is left, from the best source at hand."""

from __future__ import annotations

from synapse_ls.engine.usage import measure
from synapse_ls.sessions.changes import prompts_since_compaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.usage import Usage


def usage_of(
    plan: Plan,
    session: dict[str, Any] | None,
    figures: Mapping[str, object] | None = None,
    *,
    remaining: object = None,
) -> Usage:
    """The usage: given percentage → client's figures → figures kept in the session → prompts.

    figures: ``used`` and ``window`` in tokens, or ``reported`` percent left, from a client.
    """
    constants = {
        "tokens_per_prompt": plan.settings["tokens_per_prompt"],
        "default_window": plan.settings["max_context"],
    }
    if remaining is not None:
        return measure(reported=remaining, **constants)
    if figures:
        return measure(
            reported=figures.get("reported"),
            used=figures.get("used"),
            window=figures.get("window"),
            **constants,
        )
    if session is None:
        return measure(**constants)
    context = session.get("context")
    kept = context.get("usage") if isinstance(context, dict) else None
    if isinstance(kept, dict) and kept.get("used") is not None:
        return measure(used=kept["used"], window=kept.get("window"), **constants)
    return measure(prompts=prompts_since_compaction(session), **constants)
