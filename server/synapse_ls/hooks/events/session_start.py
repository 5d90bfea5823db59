"""Handle the start of a session (new, resumed or compacted) and of a sub-agent.

A new window is answered at its first prompt, or at once if the client accepts nothing with a
prompt; a compacted one at once. A sub-agent has an empty window and one prompt, so it gets
everything.
"""

from __future__ import annotations

from synapse_ls.formats.session_values import SESSION
from synapse_ls.formats.window_state import WindowState
from synapse_ls.hooks import session_upkeep, window_changes
from synapse_ls.hooks.hook_call import HookCall, turn_number
from synapse_ls.hooks.reply_freshness import is_recently_prompted, is_repeated, remember_prompt
from synapse_ls.hooks.window_reply import reply_after_compaction, reply_to_window
from synapse_ls.integrations.hook_event import (
    COMPACT_SOURCE,
    FORK_SOURCE,
    RESUME_SOURCE,
    STARTUP_SOURCE,
)
from synapse_ls.storage import hook_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from synapse_ls.formats.session_file import SessionState

    Greeter = Callable[[SessionState], str]


def handle(call: HookCall) -> None:
    """Handle the start of a session: activate its agent and greets, or delivers the block again
    after a compaction.
    """
    event = call.event
    if event.source == COMPACT_SOURCE or _tells_rules(call):
        call.ensure_plan()
    greet = None if event.source == COMPACT_SOURCE else _activate_agent(call)
    with call.session_transaction() as transaction:
        is_copy = call.go_on_as_fork(transaction)
        session = transaction.session
        ended, session.ended = session.ended is not None, None
        if event.source == COMPACT_SOURCE:
            window_changes.record_compacted(call, session)
            window = session.open_window(call.window_key)
            window_changes.doubt_last_reply(window)
            reply_after_compaction(call, session, window)
        elif _tells_rules(call):
            _tell_rules(call, session, greet)
        else:
            window = session.find_window(call.window_key)
            if event.source == RESUME_SOURCE and window.deliveries:
                window = session.open_window(call.window_key)
                window_changes.confirm_arrivals(call, session, window, is_prompt=False)
            late = _is_late(call, window)
            if greet is not None and not late:
                greeting = greet(session)
                transaction.commit()  # "is active in this session" is said once it is
                call.reply_text(greeting)
            call.reply_text()
            if event.source != RESUME_SOURCE and not (late or is_copy):
                session.forget_in_windows(SESSION, call.window_key if event.subagent else "")
                if event.source != FORK_SOURCE:
                    session.forget(SESSION)
            has_figures = session.context.keep_figures(event.figures)
            if transaction.is_new and not (has_figures or ended or greet or is_copy):
                return  # a session that nothing is known of needs no file
        transaction.commit()
    call.follow_up()
    session_upkeep.make_due_digest(call, transaction.session, is_waited_for=True)


def _is_late(call: HookCall, window: WindowState) -> bool:
    """Return whether the first prompt of the session has overtaken its start."""
    return call.event.source in ("", STARTUP_SOURCE) and is_recently_prompted(window, call.now)


def _tells_rules(call: HookCall) -> bool:
    """Return whether the start brings rules, and not only a greeting."""
    return call.host.tells_at_start and not call.event.subagent and call.takes_context


def _tell_rules(call: HookCall, session: SessionState, greet: Greeter | None) -> None:
    """Reply with what the session's first prompt wants, as far as the client knows it yet. What a
    window holds that is resumed, or whose first prompt came first, is not told again.
    """
    event, window = call.event, session.open_window(call.window_key)
    if is_repeated(call.host, window, event, call.now):
        call.reply_text()
        return
    late = _is_late(call, window)
    holds = bool(window.standing) and event.source in ("", RESUME_SOURCE)
    if not (late or holds):
        session.forget_in_windows(SESSION, "")
        if event.source != FORK_SOURCE:
            session.forget(SESSION)
        window = session.open_window(call.window_key)
    greeting = greet(session) if greet is not None and not late else ""
    if holds and not greeting:
        call.reply_text()
        return
    figures = window_changes.current_figures(call, session)
    reply_to_window(
        call,
        session,
        window,
        event.prompt,
        turn_number(call, session, window),
        figures,
        within_turn=late,
        whole=not late,
        extra_text=greeting,
    )
    if not late:
        remember_prompt(window, event, call.now)


def _activate_agent(call: HookCall) -> Greeter | None:
    """Activate the agent that the session begins or goes on with, before the lock, as it takes its
    time; return a function that records this in the session and returns the greeting.
    """
    event = call.event
    if event.subagent or not call.takes_context:
        return None
    session = call.store.load(event.session_id)
    if not event.agent and not (session is not None and session.agent.id):
        return None
    try:
        from synapse_ls.hooks.session_greeting import activate_for_session

        return activate_for_session(call, session)
    except Exception as error:  # what a session is told first never keeps it from beginning
        hook_log.log_line(f"{event.name}: no agent was activated ({type(error).__name__}: {error})")
        return None


def handle_subagent(call: HookCall) -> None:
    """Handle the start of a sub-agent: replies with the whole block for its window."""
    event = call.event
    if not call.takes_context:
        return
    call.ensure_plan()
    with call.session_transaction() as transaction:
        session = transaction.session
        window = session.open_window(call.window_key)
        # Two sub-agents of one kind may begin together; only an id tells that they are the same.
        if event.subagent != event.agent and is_repeated(call.host, window, event, call.now):
            call.reply_text()
            return
        window = session.window_records[call.window_key] = WindowState()
        window.agent = event.agent
        reply_to_window(call, session, window, event.prompt, 1, event.figures, whole=True)
        remember_prompt(window, event, call.now)
        transaction.commit()
    call.follow_up()
