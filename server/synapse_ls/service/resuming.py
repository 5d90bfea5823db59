"""A session begins: it takes over what another one has left, unless that one goes on itself.

The continuation file stays as it is. Which sessions were taken up is noted in the user's cache, so that
each is taken up once.
"""

from __future__ import annotations

from synapse_ls.engine.prompt import Prompt
from synapse_ls.service import cache, keeping
from synapse_ls.service.acting import known_agent
from synapse_ls.sessions.files import SessionError
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.formats.continuation import Continuation
    from synapse_ls.service.call import Call

    Session = dict[str, Any]

MEMO: Final = "resumed"
MOST: Final = 50  # sessions of a tree that are remembered as taken up
QUIET: Final = 3600.0  # seconds without any event after which a session is not going on
ASKED: Final = ("manual", "score_drop", "agent_done")  # reasons for which somebody has to go on


def take_over(call: Call, session: Session) -> None:
    """Have ``session``, which is new, carry what the latest continuation for its agent says."""
    left = load("synapse_ls.recovery.file").waiting(call.root, _agent_of(call, session))
    if left is None or left.session == call.event.session_id:
        return
    memo = cache.read_memo(call.root, MEMO)
    taken = memo.get("taken")
    known = taken if isinstance(taken, list) else []
    name = f"{left.session} {left.created}"
    hours = call.plan.plan.settings["stale_hours"]
    if name in known or not _is_left(call, left, hours):
        return
    keeping.noted(session)[keeping.CARRIED] = carried(left)
    cache.write_memo(call.root, MEMO, {"taken": [*known, name][-MOST:]})


def _agent_of(call: Call, session: Session) -> str:
    """The agent that the session begins with, "" for none."""
    plan = call.plan.plan
    active = session.get("active_agent")
    kept = active.get("id") if isinstance(active, dict) else ""
    said = Prompt(call.event.prompt, agents=plan.agents, activations=plan.settings["activate"])
    return str(known_agent(plan, call.event) or said.agent or kept or "")


def carried(left: Continuation) -> dict[str, Any]:
    """What a session carries that goes on with ``left``."""
    following = next((said[6:] for said in left.resume if said.startswith("Next: ")), "")
    return {
        "from": left.session,
        "agent": left.agent,
        "decisions": list(left.decisions[-5:]),
        "open": list(left.open_items[-5:]),
        "errors": [error for error in left.errors if error.endswith("not solved")][-5:],
        "solved": [error for error in left.errors if not error.endswith("not solved")][-5:],
        "files": list(left.artifacts[-8:]),
        "next": following,
    }


def _is_left(call: Call, left: Continuation, hours: float) -> bool:
    """Whether the session is over, or asked for another one, and not too long ago."""
    moment = load("synapse_ls.sessions.archive").moment
    made = moment(left.created)
    if made is None or call.moment - made > hours * 3600:
        return False
    if left.reason in ASKED:
        return True
    try:
        before = call.store.load(left.session)
    except SessionError:
        return False
    if before is None:
        return True
    if keeping.peek(before).get(keeping.CLEARED):
        return False
    if before.get("ended") or _has_asked(before):
        return True
    last = moment(before.get("last_activity"))
    return last is not None and call.moment - last > QUIET


def _has_asked(session: Session) -> bool:
    """Whether another session is better than this one, by what it counts itself."""
    decision = load("synapse_ls.recovery.decision")
    context = session.get("context")
    counts = (
        context.get("compactions") if isinstance(context, dict) else 0,
        keeping.peek(session).get(keeping.STREAK),
    )
    known = decision.Counters(*(count if isinstance(count, int) else 0 for count in counts))
    return bool(decision.decide(known).action == decision.SPAWN)
