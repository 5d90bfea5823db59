"""A turn has ended: what the event says of usage is kept for the next prompt."""

from __future__ import annotations

from synapse_ls.service import figures, windows
from synapse_ls.service.telling import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.service.call import Call


def handle(call: Call) -> None:
    call.reply()
    event = call.event
    known = call.store.load(event.session_id)  # without its lock: mostly there is nothing to note
    if known is None or event.window:
        return
    commands = windows.peek(known, call.key).get(COMMANDS)
    if not (event.figures or commands):
        return
    with call.locked() as transaction:
        session = transaction.session
        figures.keep(session, event.figures)
        windows.peek(session, call.key).pop(COMMANDS, None)
        transaction.commit()
