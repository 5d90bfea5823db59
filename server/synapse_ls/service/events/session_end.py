"""A session has ended, until it is resumed."""

from __future__ import annotations

from synapse_ls.sessions.changes import timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.service.call import Call


def handle(call: Call) -> None:
    call.reply()
    if call.store.load(call.event.session_id) is None:
        return
    with call.locked() as transaction:
        transaction.session["ended"] = timestamp(call.moment)
        transaction.commit()
