"""Activate the agent of a session that begins or goes on, and give it the greeting: where the
project stands.

Only where an agent is known already: the client names it, or the session has it. Off by
``[activation] session_start = false``.
"""

from __future__ import annotations

from time import process_time

from synapse_ls.activation import agent_activation
from synapse_ls.activation.activation_loaders import tree_outcome
from synapse_ls.activation.agent_activation import (
    Activation,
    ActivationRequest,
    activate_in_session,
)
from synapse_ls.activation.tree_files import TreeFiles
from synapse_ls.formats.session_file import ActiveAgent, SessionState
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.storage import plan_cache
from synapse_ls.storage.program_start import enable_site_packages

SAME_SECONDS = 10.0  # seconds in which two registrations of the hook tell of one start
# Clients pass it on with the first prompt, which wants an answer.
GREETING_INTRODUCTION = (
    "@{agent} is active in this session. Begin your next answer with this greeting, as it is:"
)


def activate_for_session(call: HookCall, session: SessionState | None) -> Activation | None:
    """Activate the agent of the session, so that it can greet; return None where there is none or
    nobody wants that.
    """
    event = call.event
    active = session.agent if session else None
    named = event.agent or (active and active.id) or ""
    if not named or _was_just_greeted(active, named, call.now):
        return None
    plan = call.current_plan.plan
    agent = plan.find_agent(named)
    if not agent or not plan.settings.get("activation", {}).get("session_start"):
        return None
    enable_site_packages()
    files = TreeFiles.of_plan(plan)
    tree = tree_outcome(call.current_plan, 0.0)
    # A process that answers one event was started for it; a server may have been at work for days.
    elapsed = 0.0 if plan_cache.holds_plans() else process_time()
    wish = ActivationRequest(event.session_id, elapsed=elapsed)
    return activate_in_session(plan, files, agent, session, wish, tree, now=call.now)


def record_greeting(call: HookCall, session: SessionState, activation: Activation) -> None:
    """Note in the session, which is locked, that its agent was activated and has greeted."""
    agent_activation.note_activation(session, activation, call.now)
    session.agent.greeted = call.now


def _was_just_greeted(active: ActiveAgent | None, agent: str, now: float) -> bool:
    """Return whether another registration of the hook has just answered the same event."""
    if active is None or active.id != agent or active.greeted is None:
        return False
    return abs(now - active.greeted) < SAME_SECONDS


def greeting_text(call: HookCall, activation: Activation) -> str:
    """Return the greeting for the agent, in as many whole lines as its client passes on."""
    greeting = activation.greeting.text
    if not greeting:
        return ""
    text = f"{GREETING_INTRODUCTION.format(agent=activation.agent)}\n\n{greeting}"
    limit = call.host.limit_of(call.event.kind)
    if len(text) <= limit:
        return text
    return text[: limit - 2].rpartition("\n")[0].rstrip() + "\n…"
