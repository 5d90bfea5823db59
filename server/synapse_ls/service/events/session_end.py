"""A session has ended, until it is resumed."""

from __future__ import annotations

from synapse_ls.service import keeping
from synapse_ls.sessions.changes import timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.service.call import Call

CLEARED: Final = "clear"  # the person wants to begin with nothing


def handle(call: Call) -> None:
    call.reply()
    if call.store.load(call.event.session_id) is None:
        return
    with call.locked() as transaction:
        transaction.session["ended"] = timestamp(call.moment)
        if call.event.raw.get("reason") == CLEARED:
            keeping.noted(transaction.session)[keeping.CLEARED] = True
        keeping.due(transaction.session, call.event, keeping.ENDED, call.moment)
        transaction.commit()
    # Claude Code ends its hooks 1.5 seconds after a session, however busy the machine is.
    keeping.work(call, transaction.session, waited_for=True)
