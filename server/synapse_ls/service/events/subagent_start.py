"""A sub-agent begins: its window is empty, and its only prompt brings it everything at once."""

from __future__ import annotations

from synapse_ls.service import asked, windows
from synapse_ls.service.acting import AGENT
from synapse_ls.service.telling import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.service.call import Call


def handle(call: Call) -> None:
    event = call.event
    if not call.takes_context:
        return
    _ = call.plan  # before the lock: making it may take longer than all that is done under it
    with call.locked() as transaction:
        session = transaction.session
        window = windows.window_of(session, call.key)
        # Two sub-agents of one kind may begin together; only an id tells that they are the same.
        if event.window != event.agent and asked.is_repeated(window, event, call.moment):
            call.reply()
            return
        window.clear()
        if event.agent:
            window[AGENT] = event.agent
        tell(call, session, window, event.prompt, 1, event.figures, whole=True)
        asked.remember(window, event, call.moment)
        transaction.commit()
    call.follow_up(is_new=transaction.is_new)
