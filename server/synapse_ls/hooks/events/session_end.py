"""Handle the end of a turn and of a session.

Usage figures are kept for the next prompt, and a stale plan is compiled while nobody waits. The end
of a session is recorded, until it is resumed, and a digest becomes due.
"""

from typing import Final

from synapse_ls.formats.session_file import ENDED_REASON
from synapse_ls.formats.session_values import TURN
from synapse_ls.hooks import session_upkeep
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.storage.session_store import format_timestamp


def handle_stop(call: HookCall) -> None:
    """Handle the stop of an agent at the end of its turn: keep the figures, forget the
    star-commands of the prompt, and prepare the next one's plan.
    """
    call.reply_text()
    event = call.event
    # Without its lock: mostly there is nothing to note.
    session_before = call.store.load(event.session_id)
    call.prepare_plan(session_before)
    if session_before is None or event.subagent:
        return
    before = session_before.find_window(call.window_key)
    closes = call.host.ends_turn(event) and bool(before.deliveries)
    if not (event.figures or before.commands or closes):
        return
    with call.session_transaction() as transaction:
        session = transaction.session
        session.context.keep_figures(event.figures)
        window = session.find_window(call.window_key)
        window.forget(TURN)
        if closes:
            window.deliveries = ()  # what came with the turn stands
        transaction.commit()


CLEAR_REASON: Final = "clear"  # the person wants to begin with nothing


def handle(call: HookCall) -> None:
    """Handle the end of a session: record it and have a digest made."""
    call.reply_text()
    if call.store.load(call.event.session_id) is None:
        return
    with call.session_transaction() as transaction:
        transaction.session.ended = format_timestamp(call.now)
        if call.event.raw.get("reason") == CLEAR_REASON:
            transaction.session.recovery.is_cleared = True
        session_upkeep.mark_digest_due(transaction.session, call.event, ENDED_REASON, call.now)
        transaction.commit()
    # Claude Code ends its hooks 1.5 seconds after a session, however busy the machine is.
    session_upkeep.make_due_digest(call, transaction.session, is_waited_for=True)
