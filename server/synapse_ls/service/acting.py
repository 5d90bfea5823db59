"""Who acts in a window, and in which of its turns."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.hosts.event import Event
    from synapse_ls.service.call import Call

AGENT = "agent"  # in the window of a sub-agent: who it is, where not every event says it
PROMPTS = "prompts"  # prompts of a sub-agent; those of the main window are the session's


def known_agent(plan: Plan, event: Event, window: Mapping[str, Any] | None = None) -> str:
    """The client's agent where the tree knows it; clients have kinds of agents of their own."""
    for name in (event.agent, (window or {}).get(AGENT)):
        if isinstance(name, str) and name.lower() in plan.agents:
            return name
    return ""


def turn_of(call: Call, session: Mapping[str, Any], window: Mapping[str, Any]) -> int:
    """The number of prompts of the window so far, at least 1."""
    count = window.get(PROMPTS) if call.event.window else session.get("prompt_count")
    return max(1, count if isinstance(count, int) else 0)
