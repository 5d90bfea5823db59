"""Activate the agent of a session that begins or is resumed, and inject its greeting.

Only if the client or the session names an agent. ``[activation] session_start = false`` turns it
off.
"""

from collections.abc import Callable
from time import process_time

from synapse_ls.activation import activation_files, agent_activation, loader_runner
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.session_file import ActiveAgent, SessionState
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.hooks.reply_freshness import is_recently_prompted
from synapse_ls.integrations.hook_event import RESUME_SOURCE
from synapse_ls.storage import plan_cache, program_start

ABSENCE_SECONDS = 900.0  # after which who comes back wants to hear where things stand
SAME_SECONDS = 10.0  # seconds in which two registrations of the hook tell of one start
# Clients pass it on with the first prompt, which wants an answer.
GREETING_INTRODUCTION = (
    "@{agent} is active in this session. Begin your next answer with this greeting, as it is:"
)


def activate_for_session(
    call: HookCall, session: SessionState | None
) -> Callable[[SessionState], str] | None:
    """Activate the agent of the session; return a function that records the greeting in the locked
    session and returns it, in as many whole lines as the client passes on; None where there is no
    agent, or nobody wants a greeting.
    """
    event = call.event
    # A program goes on in a session with each of its prompts, and its window holds what it held.
    if (
        session is not None
        and event.source == RESUME_SOURCE
        and is_recently_prompted(session.find_window(call.window_key), call.now, ABSENCE_SECONDS)
    ):
        return None
    active = session.agent if session else ActiveAgent()
    named = event.agent or active.id or ""
    # Another registration of the hook may have answered the same event.
    greeted = active.greeted if active.id == named else None
    if not named or (greeted is not None and abs(call.now - greeted) < SAME_SECONDS):
        return None
    plan = call.current_plan.plan
    agent = plan.find_agent(named)
    if not agent or not plan.settings.get("activation", {}).get("session_start"):
        return None
    program_start.enable_site_packages()
    files = activation_files.TreeFiles.of_plan(plan)
    tree = loader_runner.tree_outcome(call.current_plan, 0.0)
    # A process that answers one event was started for it; a server may have been at work for days.
    elapsed = 0.0 if plan_cache.holds_plans() else process_time()
    wish = agent_activation.ActivationRequest(event.session_id, elapsed=elapsed)
    activation = agent_activation.activate_in_session(
        plan, files, agent, session, wish, tree, now=call.now
    )

    def greet(session: SessionState) -> str:
        agent_activation.note_activation(session, activation, call.now)
        session.agent.greeted = call.now
        if not (greeting := activation.greeting.text):
            return ""
        text = (
            f"{GREETING_INTRODUCTION.format(agent=neutralise_text(activation.agent))}\n\n{greeting}"
        )
        limit = call.host.limit_of(call.event.kind)
        if len(text) <= limit:
            return text
        return text[: limit - 2].rpartition("\n")[0].rstrip() + "\n…"

    return greet
