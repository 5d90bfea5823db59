"""A client has compacted its history: the block is told again at once, where that is possible."""

from __future__ import annotations

from synapse_ls.service import compactions, keeping, windows
from synapse_ls.service.telling import tell_again

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.service.call import Call


def handle(call: Call) -> None:
    if call.takes_context:
        _ = call.plan  # before the lock: making it may take longer than all that is done under it
    with call.locked() as transaction:
        session = transaction.session
        if not compactions.is_announced(session):
            keeping.due(session, call.event, keeping.COMPACT, call.moment)
        compactions.happened(session, call.event, call.moment)
        tell_again(call, session, windows.window_of(session, call.key))
        transaction.commit()
    call.follow_up(is_new=transaction.is_new)
    keeping.work(call, transaction.session, waited_for=True)
