"""Handle the use of a tool: in a long turn, inject what has changed since its prompt.

Nearly always nothing has, and then neither the plan nor the session's lock is needed.
"""

from __future__ import annotations

from synapse_ls.formats.session_file import SessionState
from synapse_ls.hooks import hook_call, reply_freshness
from synapse_ls.storage.atomic_files import LockTimeoutError
from synapse_ls.text.path_globs import first_matching_path
from synapse_ls.workspace.tree_folders import STATE_FOLDERS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.formats.window_state import WindowState


MAX_FOLLOW_UPS: Final = 2  # replies of one turn that bring what its prompt had no room for


def handle(call: hook_call.HookCall) -> None:
    """Handle the event after a tool: replies with findings, what is known of an error, and what has
    changed; tracks errors.
    """
    event = call.event
    feedback = lint_edited(call)
    call.current_stamps = stamped = reply_freshness.current_stamps(call.root)
    session: SessionState | None = None
    failure = None
    is_fresh = is_silent = False
    # Where the tree is another one, all is looked at under the session's lock.
    if stamped is not None or event.error or not call.takes_context:
        session = call.store.load(event.session_id) or SessionState()
        if event.error:
            from synapse_ls.hooks.gotcha_tracking import count_failure

            gotcha, failure = count_failure(call, session)
            feedback = "\n\n".join(filter(None, (feedback, gotcha)))
        window = session.find_window(call.window_key)
        stamped = reply_freshness.fresh_stamps(call.host, stamped, session, window, event)
        wakes = False
        if stamped is not None and stamped.paths:
            # A domain may wait for a file that is touched for the first time in this turn.
            new = set(hook_call.event_files(call.root, event)).difference(window.files)
            wakes = bool(new and first_matching_path(stamped.paths, sorted(new)))
        is_fresh = stamped is not None and not (feedback or window.warnings or wakes)
        is_settled = reply_freshness.is_settled(call.host, window, event)
        is_silent = is_fresh and is_settled and not _has_follow_up(call, window)
    if is_silent:
        call.reply_text()
    elif call.takes_context:
        # Reply with what the window lacks.
        call.ensure_plan()
        try:
            session = _reply_under_lock(call, feedback, is_urgent=not is_fresh)
        except LockTimeoutError:
            call.reply_text(feedback)
            if not is_fresh:
                raise
        call.prepare_plan(session)
    else:
        call.reply_text()
        _remember_event(call, hook_call.event_files(call.root, event))
        call.prepare_plan(session)
    # Note what an error, or a success while something fails, leaves to note.
    if failure or (session and session.recovery.failing and not event.error):
        from synapse_ls.hooks.gotcha_tracking import record_outcome

        record_outcome(call, failure)


def lint_edited(call: hook_call.HookCall) -> str:
    """Return the findings in the rule files that the tool has edited, as text; "" for nothing, and
    where the agent cannot be told of them.
    """
    rule_files = []
    for path in call.event.edited if call.takes_context else ():
        *folders, name = path.replace("\\", "/").split("/")
        is_in_squad = name in ("squad.yaml", "config.yaml") and "squads" in folders
        is_in_tree = TREE in folders and not any(folder in STATE_FOLDERS for folder in folders)
        if is_in_tree or (is_in_squad and TREE not in folders):
            rule_files.append(path)
    if not rule_files:
        return ""
    from synapse_ls.hooks.lint_feedback import lint_report

    return lint_report(call, rule_files)


def _has_follow_up(call: hook_call.HookCall, window: WindowState) -> bool:
    """Return whether this event brings what the last reply had no room for."""
    is_next = window.owes_rules and window.follow_ups < MAX_FOLLOW_UPS
    return is_next and not call.event.subagent and call.takes_context


def _reply_under_lock(call: hook_call.HookCall, feedback: str, *, is_urgent: bool) -> SessionState:
    from synapse_ls.hooks.window_reply import prepare_window, reply_to_window

    patience = hook_call.LOCK_SECONDS if is_urgent else 0.0
    if feedback:  # which has taken its time
        patience /= 2
    with call.session_transaction(patience) as transaction:
        session = transaction.session
        window = call.open_window(transaction)
        if call.event.agent and call.event.subagent:
            window.agent = call.event.agent
        stood, doubted = window.standing, window.doubtful
        figures = prepare_window(call, session, window)
        is_same = window.standing is stood and window.doubtful is doubted
        if is_same and not (is_urgent or _has_follow_up(call, window)):
            call.reply_text()  # the turn stands where it was thought to stand
            transaction.commit()
            return session
        turn = hook_call.turn_number(call, session, window)
        reply_to_window(
            call, session, window, "", turn, figures, within_turn=True, extra_text=feedback
        )
        transaction.commit()
    call.follow_up()
    return session


def _remember_event(call: hook_call.HookCall, files: tuple[str, ...]) -> None:
    """Keep files and figures for the next prompt, where the client passes nothing on to the agent
    now.
    """
    if not files and not call.event.figures:
        return
    with call.session_transaction() as transaction:
        session = transaction.session
        if transaction.is_new:
            return
        window = session.open_window(call.window_key)
        hook_call.remember_files(window, files, hook_call.turn_number(call, session, window))
        if not call.event.subagent:
            session.context.keep_figures(call.event.figures)
        transaction.commit()
