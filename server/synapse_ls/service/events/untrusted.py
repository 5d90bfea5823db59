"""An event in a tree that the hook's owner has not said to trust: nothing of it reaches an agent.

The person is told once per session, unless the project's own hook serves the tree anyway.
"""

from __future__ import annotations

from synapse_ls.hosts.event import PROMPT, SESSION_START
from synapse_ls.service import cache, log, windows
from synapse_ls.sessions.files import SessionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.service.call import Call

MEMO: Final = "untrusted"
MOST: Final = 20  # sessions of a tree of which it is known that they were told


def handle(call: Call) -> None:
    event = call.event
    if event.kind not in (PROMPT, SESSION_START) or _is_served(call):
        return
    session = f"{call.host.NAME}:{event.session_id}"
    memo = cache.read_memo(call.root, MEMO)
    told = memo.get("told")
    known = told if isinstance(told, list) else []
    if session in known:
        return
    text = (
        f"Synapse LS: the rules in {call.root} are not used, because this folder is not trusted. "
        f"To use them, run `synapse trust` there."
    )
    shown = call.host.notify(event, text)
    if shown:
        call.answer(shown)
    elif event.kind != PROMPT:
        return  # the first prompt may be able to show it
    else:
        log.line(text)
    cache.write_memo(call.root, MEMO, {"told": [*known, session][-MOST:]})


def _is_served(call: Call) -> bool:
    """Whether another registration of the hook serves this session."""
    if not call.event.session_id:
        return False
    try:
        session = call.store.load(call.event.session_id)
    except SessionError:
        return False
    return bool(session and windows.peek(session, call.key).get("stands"))
