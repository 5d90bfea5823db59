"""Tell the person something about a tree once in a session, through the client's notice or, where
the client shows none, in the log.
"""

from __future__ import annotations

from synapse_ls.integrations.hook_event import PROMPT, SESSION_START
from synapse_ls.storage import hook_log, plan_cache
from synapse_ls.text.visible_text import escape_invisible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.hooks.hook_call import HookCall

MAX_SESSIONS: Final = 20  # sessions of a tree of which it is known that they were told


def tell_once(call: HookCall, kind: str, text: str, occasion: str = "") -> None:
    """Tell the person ``text`` when a session or a prompt begins, once for each ``occasion``; kind:
    the name of the memory of who was told.
    """
    event = call.event
    if event.kind not in (PROMPT, SESSION_START):
        return
    session = f"{call.host.name}:{event.session_id}:{occasion}"
    stored = plan_cache.read_memo(call.root, kind).get("told")
    names = stored if isinstance(stored, list) else []
    if session in names:
        return
    reply = call.host.notice_reply(event, escape_invisible(text))
    if reply:
        call.write_reply(reply)
    elif event.kind != PROMPT:
        return  # the first prompt may be able to show it
    else:
        hook_log.log_line(text)
    plan_cache.write_memo(call.root, kind, {"told": [*names, session][-MAX_SESSIONS:]})
