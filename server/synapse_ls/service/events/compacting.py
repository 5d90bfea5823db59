"""A client is about to compact its history: nothing that was told stands after it."""

from __future__ import annotations

from synapse_ls.service import compactions, figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.service.call import Call


def handle(call: Call) -> None:
    call.reply()
    with call.locked() as transaction:
        if not transaction.is_new:
            session = transaction.session
            # What the client says of the window now, it may repeat once the history is gone.
            figures.keep(session, figures.figures_of(call, session))
            compactions.announced(session, call.event, call.moment)
            transaction.commit()
