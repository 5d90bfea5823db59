"""This module says which agent acts in a window, and in which of its turns."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.integrations.hook_event import Event
    from synapse_ls.storage.session_state import SessionState
    from synapse_ls.storage.window_state import WindowState


def known_agent(plan: Plan, event: Event, window: WindowState | None = None) -> str:
    """Returns the agent that the client's own agent stands for, "" where the tree knows none; clients
    have kinds of agents of their own.
    """
    names = (event.agent, window.agent if window else "")
    return next(filter(None, map(plan.find_agent, names)), "")


def turn_number(call: HookCall, session: SessionState, window: WindowState) -> int:
    """Returns the number of prompts of the window so far, at least 1."""
    return max(1, window.prompts if call.event.subagent else session.prompt_count)
