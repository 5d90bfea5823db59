"""Handle the start of a sub-agent: its window is empty, and its only prompt brings it everything at
once.
"""

from __future__ import annotations

from synapse_ls.hooks import reply_freshness
from synapse_ls.hooks.window_reply import reply_to_window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.hooks.hook_call import HookCall


def handle(call: HookCall) -> None:
    """Handle the start of a sub-agent: replies with the whole block for its window."""
    event = call.event
    if not call.takes_context:
        return
    call.ensure_plan()
    with call.session_transaction() as transaction:
        session = transaction.session
        window = session.open_window(call.window_key)
        # Two sub-agents of one kind may begin together; only an id tells that they are the same.
        if event.subagent != event.agent and reply_freshness.is_repeated(window, event, call.now):
            call.reply_text()
            return
        window = session.replace_window(call.window_key)
        window.agent = event.agent
        reply_to_window(call, session, window, event.prompt, 1, event.figures, whole=True)
        reply_freshness.remember_prompt(window, event, call.now)
        transaction.commit()
    call.follow_up()
