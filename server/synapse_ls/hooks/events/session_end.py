"""Handle the end of a session: its time is recorded, until it is resumed, and a digest becomes due."""

from __future__ import annotations

from synapse_ls.hooks import digest_schedule
from synapse_ls.storage.session_changes import format_timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.hooks.hook_call import HookCall

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
        digest_schedule.mark_digest_due(
            transaction.session, call.event, digest_schedule.ENDED_REASON, call.now
        )
        transaction.commit()
    # Claude Code ends its hooks 1.5 seconds after a session, however busy the machine is.
    digest_schedule.make_due_digest(call, transaction.session, is_waited_for=True)
