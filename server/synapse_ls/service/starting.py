"""A session begins or goes on with an agent: it is brought up, and told where the project stands.

Only where an agent is known already: the client names it, or the session has it. Off by
``[activation] session_start = false``.
"""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

from synapse_ls.activation.files import KIND, Files
from synapse_ls.service import activating, cache
from synapse_ls.service.activating import Activation, Wish, bring_up, tree_outcome
from synapse_ls.service.building import find_libraries
from synapse_ls.service.telling import limit_of

if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.service.call import Call

SAME = 10.0  # seconds in which two registrations of the hook tell of one start
# Clients pass it on with the first prompt, which wants an answer.
ABOUT = "@{agent} is active in this session. Begin your next answer with this greeting, as it is:"


def started(call: Call, session: dict[str, Any] | None) -> Activation | None:
    """The agent of the session brought up, None where there is none or nobody wants that."""
    event = call.event
    active = session.get("active_agent") if session else None
    named = event.agent or (active.get("id") if isinstance(active, dict) else "")
    if not isinstance(named, str) or not named or _is_greeted(active, named, call.moment):
        return None
    plan = call.plan.plan
    agent = plan.agents.get(named.lower())
    if agent is None or not plan.settings.get("activation", {}).get("session_start"):
        return None
    find_libraries()
    files = Files(plan.root, plan.settings.get("places", {}), cache.read_memo(plan.root, KIND))
    tree = tree_outcome(call.plan, 0.0)
    wish = Wish(event.session_id, spent=process_time())
    return bring_up(plan, files, agent, session, wish, tree, now=call.moment)


def note(call: Call, session: dict[str, Any], activation: Activation) -> None:
    """Note in the session, which is locked, that its agent was brought up and has greeted."""
    activating.note(session, activation, call.moment)
    session["active_agent"]["greeted"] = call.moment


def _is_greeted(active: object, agent: str, now: float) -> bool:
    """Whether another registration of the hook has just told the same event."""
    if not isinstance(active, dict) or active.get("id") != agent:
        return False
    greeted = active.get("greeted")
    return isinstance(greeted, int | float) and abs(now - greeted) < SAME


def text_of(call: Call, activation: Activation) -> str:
    """What the agent is told, in as many whole lines as its client passes on."""
    greeting = activation.greeting.text
    if not greeting:
        return ""
    text = f"{ABOUT.format(agent=activation.agent)}\n\n{greeting}"
    limit = limit_of(call.host, call.event.kind)
    if len(text) <= limit:
        return text
    return text[: limit - 2].rpartition("\n")[0].rstrip() + "\n…"
