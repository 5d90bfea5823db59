"""Handle the end of a turn: what the event says of usage is kept for the next prompt, and a plan
whose sources have changed is made while nobody waits for it.
"""

from __future__ import annotations

from synapse_ls.formats.state_values import TURN
from synapse_ls.hooks import window_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.hooks.hook_call import HookCall


def handle(call: HookCall) -> None:
    """Handle the stop of an agent at the end of its turn: keep the figures, forgets the
    star-commands of the prompt, and prepare the next one's plan.
    """
    call.reply_text()
    event = call.event
    session_before = call.store.load(
        event.session_id
    )  # without its lock: mostly there is nothing to note
    call.prepare_plan(session_before)
    if session_before is None or event.subagent:
        return
    if not (event.figures or session_before.find_window(call.window_key).commands):
        return
    with call.session_transaction() as transaction:
        session = transaction.session
        window_changes.keep_figures(session, event.figures)
        session.find_window(call.window_key).forget(TURN)
        transaction.commit()
