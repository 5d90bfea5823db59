"""A session begins or goes on. A new window is told with its first prompt, a compacted one at once."""

from __future__ import annotations

from synapse_ls.service import asked, compactions, figures, windows
from synapse_ls.service.telling import tell_again

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.service.call import Call

STARTED: Final = "startup"  # another registration's may come after the first prompt was answered
RESUMED: Final = "resume"  # the window holds what it held
COMPACTED: Final = "compact"
COPIED: Final = "fork"  # the window of another session, of which nothing is known here


def handle(call: Call) -> None:
    event = call.event
    if event.source == COMPACTED:
        _ = call.plan  # before the lock: making it may take longer than all that is done under it
    with call.locked() as transaction:
        session = transaction.session
        ended = session.pop("ended", None) is not None
        if event.source == COMPACTED:
            compactions.happened(session, event, call.moment)
            tell_again(call, session, windows.window_of(session, call.key))
        else:
            call.reply()
            window = windows.peek(session, call.key)
            late = event.source == STARTED and asked.is_recent(window, call.moment)
            if event.source != RESUMED and not late:
                windows.forget(session, call.key if event.window else "")
                if event.source != COPIED:
                    figures.forget(session)
            kept = figures.keep(session, event.figures)
            if transaction.is_new and not (kept or ended):
                return  # a session that nothing is known of needs no file
        transaction.commit()
    call.follow_up(is_new=transaction.is_new)
