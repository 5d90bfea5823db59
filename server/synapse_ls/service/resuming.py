"""A session begins: it takes over what another one has left, unless that one goes on itself.

The continuation file stays as it is. Which sessions were taken up is noted in the user's cache, so that
each is taken up once.
"""

from __future__ import annotations

import os

from synapse_ls.service import cache, keeping
from synapse_ls.sessions.files import SessionError
from synapse_ls.text.lazy import load
from synapse_ls.workspace.folders import CONTINUATION

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
FINISHED: Final = "finished"


def take_over(call: Call, session: Session) -> None:
    """Have ``session``, which is new, carry what the latest continuation says."""
    left = load("synapse_ls.recovery.file").read(os.path.join(call.root, CONTINUATION))
    if left is None or left.session == call.event.session_id or left.state == FINISHED:
        return
    memo = cache.read_memo(call.root, MEMO)
    taken = memo.get("taken")
    known = taken if isinstance(taken, list) else []
    name = f"{left.session} {left.created}"
    hours = call.plan.plan.settings["stale_hours"]
    if name in known or not _is_left(call, left, hours):
        return
    if left.agent and call.event.agent and call.event.agent != left.agent:
        return
    keeping.noted(session)[keeping.CARRIED] = carried(left)
    cache.write_memo(call.root, MEMO, {"taken": [*known, name][-MOST:]})


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
    if before.get("ended"):
        return True
    last = moment(before.get("last_activity"))
    return last is not None and call.moment - last > QUIET
