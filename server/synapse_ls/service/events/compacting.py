"""A client is about to compact its history: nothing that was told stands after it."""

from __future__ import annotations

from synapse_ls.service import compactions, figures, keeping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.service.call import Call


def handle(call: Call) -> None:
    call.reply()
    with call.locked() as transaction:
        session = transaction.session
        keeping.due(session, call.event, keeping.COMPACT, call.moment)
        if transaction.is_new and not keeping.is_due(session):
            return
        # What the client says of the window now, it may repeat once the history is gone.
        figures.keep(session, figures.figures_of(call, session))
        compactions.announced(session, call.event, call.moment)
        transaction.commit()
    keeping.work(call, session)
