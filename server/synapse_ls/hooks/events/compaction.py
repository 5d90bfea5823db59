"""Handle a compaction: nothing is in context after it, so inject the block again, if possible."""

from synapse_ls.formats.session_file import COMPACTION_REASON
from synapse_ls.hooks import session_upkeep, window_changes, window_reply
from synapse_ls.hooks.hook_call import HookCall


def handle_start(call: HookCall) -> None:
    """Handle the start of a compaction: announce it in the session and have a digest made."""
    call.reply_text()
    with call.session_transaction() as transaction:
        is_copy = call.go_on_as_fork(transaction)
        session = transaction.session
        session_upkeep.mark_digest_due(session, call.event, COMPACTION_REASON, call.now)
        if transaction.is_new and session.recovery.due is None and not is_copy:
            return
        window = session.find_window(call.window_key)
        if window.deliveries and not (window.newest_message or call.event.subagent):
            # Nobody has looked yet whether it is a fork, and of what.
            window_changes.confirm_arrivals(call, session, window, is_prompt=False)
        # What the client says of the window now, it may repeat once the history is gone.
        session.context.keep_figures(window_changes.current_figures(call, session))
        is_certain = not window_changes.shows_compactions(call.host, call.event)
        window_changes.announce_compaction(session, call.event, call.now, is_certain=is_certain)
        transaction.commit()
    session_upkeep.make_due_digest(call, session)


def handle_end(call: HookCall) -> None:
    """Handle the end of a compaction: record it, deliver the block again and have a digest made."""
    if call.takes_context:
        call.ensure_plan()
    with call.session_transaction() as transaction:
        call.go_on_as_fork(transaction)
        session = transaction.session
        window_changes.record_compacted(call, session)
        window_reply.reply_after_compaction(call, session, session.open_window(call.window_key))
        transaction.commit()
    call.follow_up()
    session_upkeep.make_due_digest(call, transaction.session, is_waited_for=True)
