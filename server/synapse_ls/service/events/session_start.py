"""A session begins or goes on. A new window is told with its first prompt, a compacted one at once."""

from __future__ import annotations

from synapse_ls.service import asked, compactions, figures, keeping, windows
from synapse_ls.service.telling import tell_again
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.service.activating import Activation
    from synapse_ls.service.call import Call

STARTED: Final = "startup"  # another registration's may come after the first prompt was answered
RESUMED: Final = "resume"  # the window holds what it held
COMPACTED: Final = "compact"
ABSENCE: Final = 900.0  # seconds after which who comes back wants to hear where things stand
COPIED: Final = "fork"  # the window of another session, of which nothing is known here


def handle(call: Call) -> None:
    event = call.event
    if event.source == COMPACTED:
        _ = call.plan  # before the lock: making it may take longer than all that is done under it
    activation = None if event.source == COMPACTED else _brought_up(call)
    with call.locked() as transaction:
        session = transaction.session
        ended = session.pop("ended", None) is not None
        if event.source == COMPACTED:
            if not compactions.is_announced(session):
                keeping.due(session, event, keeping.COMPACT, call.moment)
            compactions.happened(session, event, call.moment)
            tell_again(call, session, windows.window_of(session, call.key))
        else:
            window = windows.peek(session, call.key)
            late = event.source == STARTED and asked.is_recent(window, call.moment)
            if activation is not None and not late:
                starting = load("synapse_ls.service.starting")
                starting.note(call, session, activation)
                call.reply(starting.text_of(call, activation))
            call.reply()
            if event.source != RESUMED and not late:
                windows.forget(session, call.key if event.window else "")
                if event.source != COPIED:
                    figures.forget(session)
            kept = figures.keep(session, event.figures)
            if transaction.is_new and not (kept or ended or activation):
                return  # a session that nothing is known of needs no file
        transaction.commit()
    call.follow_up(is_new=transaction.is_new)
    keeping.work(call, transaction.session, waited_for=True)


def _brought_up(call: Call) -> Activation | None:
    """The agent that the session begins or goes on with, before the lock: that takes its time."""
    event = call.event
    if event.window or not call.takes_context:
        return None
    session = call.store.load(event.session_id)
    # A program goes on in a session with each of its prompts, and its window holds what it held.
    window = windows.peek(session or {}, call.key)
    if event.source == RESUMED and asked.is_recent(window, call.moment, ABSENCE):
        return None
    active = session.get("active_agent") if session else None
    if not event.agent and not (isinstance(active, dict) and active.get("id")):
        return None
    try:
        found: Activation | None = load("synapse_ls.service.starting").started(call, session)
    except Exception as error:  # what a session is told first never keeps it from beginning
        from synapse_ls.service import log

        log.line(f"{event.name}: no agent was brought up ({type(error).__name__}: {error})")
        return None
    return found
