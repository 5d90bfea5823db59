"""Handle a prompt: inject what its window lacks, and record the prompt."""

from __future__ import annotations

import os

from synapse_ls.engine.prompt_parser import is_executed_command
from synapse_ls.formats.session_values import PROMPT
from synapse_ls.hooks import hook_call, reply_freshness, session_upkeep
from synapse_ls.hooks.window_reply import TypedPrompt, prepare_window, reply_to_window
from synapse_ls.storage import session_changes
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.workspace.tree_folders import CONTINUATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.formats.session_file import SessionState
    from synapse_ls.formats.window_state import WindowState
    from synapse_ls.storage.session_store import Transaction


def handle(call: hook_call.HookCall) -> None:
    """Handle a prompt: reply to it, record it, and start what follows: digests, a continuation,
    upkeep.
    """
    call.ensure_plan()
    with call.session_transaction() as transaction:
        call.go_on_as_fork(transaction)
        session = transaction.session
        window = call.open_window(transaction)
        counted = bool(call.event.turn) and reply_freshness.is_last_prompt(window, call.event)
        if _is_answered(call, session, window, counted):
            return
        begins = not (call.IS_ONLY_SESSION or session.prompt_count or call.event.subagent)
        # A session that begins goes on where another one was left. One that its client has counted
        # tokens of begins with a history: it is a fork.
        if (
            begins
            and not session.context.figures
            and any(os.path.lexists(f"{call.root}/{path}") for path in CONTINUATIONS)
        ):
            from synapse_ls.hooks.session_recovery import pick_up_continuation

            pick_up_continuation(call, session)
        _answer_prompt(call, transaction, window, counted)
        transaction.commit()
    call.follow_up()
    if session.recovery.due:
        session_upkeep.make_due_digest(call, session, is_waited_for=True)
    if begins:
        session_upkeep.start_upkeep(call)


def _is_answered(
    call: hook_call.HookCall, session: SessionState, window: WindowState, counted: bool
) -> bool:
    """Return whether there is nothing to do but to repeat what was said, or to say nothing; then
    that is done.

    A client that asks before each call of the model gets the same text while the turn lasts and
    nothing changes. In any other, a second registration of the hook is silent.
    """
    event = call.event
    if counted and call.host.prompts_per_model_call:
        text = window.turn_reply
        is_answered = (
            text is not None
            and not hook_call.event_files(call.root, event)
            and reply_freshness.fresh_stamps(
                call.host, reply_freshness.current_stamps(call.root), session, window, event
            )
            is not None
        )
    else:
        text, is_answered = "", reply_freshness.is_repeated(call.host, window, event, call.now)
    if is_answered:
        call.reply_text(text or "")
    return is_answered


def _answer_prompt(
    call: hook_call.HookCall, transaction: Transaction, window: WindowState, counted: bool
) -> None:
    event, session = call.event, transaction.session
    agent = session.agent.id

    def store_switch(situation: Situation) -> None:
        # What the agent is told of a switch holds for more than this prompt: it is told once it is
        # stored, and where it cannot be stored it is said to hold for the prompt alone.
        is_called = situation.agent_source == "prompt" and (situation.agent or None) != agent
        switches = is_called or situation.switched or situation.task_source == "command"
        if main and counts and switches:
            _record_switches(session, situation)
            transaction.commit()

    def add_advice(plan: Plan, situation: Situation) -> None:
        # A window that has just begun anew is not too full.
        if window.standing and session_upkeep.may_need_advice(session, situation):
            from synapse_ls.hooks.session_recovery import add_advice

            add_advice(call, plan, session, situation)

    main = not event.subagent
    session.forget(PROMPT)
    if main:
        # What was seen of workflow states is old where the session was left for long, so that what
        # differs is named.
        last = format_timestamp(call.now - session_changes.LONG_ABSENCE)
        if session.seen_states and session.last_activity < last:
            session.seen_states.is_old = True
    figures = prepare_window(call, session, window, is_prompt=True)
    counts = event.is_counted and not counted
    if main or event.agent:  # a sub-agent stays the one that it began as
        window.agent = event.agent
    turn = (window.prompts if event.subagent else session.prompt_count) + counts
    if counts:
        window.forget(PROMPT)
    typed = None
    if main and counts and not call.IS_ONLY_SESSION:
        is_certain = call.host.marks_commands
        typed = TypedPrompt(call.window_key, session.proposal, is_certain=is_certain)
    assembly = reply_to_window(
        call,
        session,
        window,
        event.prompt if event.is_counted else "",
        turn if counts else hook_call.turn_number(call, session, window),
        figures,
        before_block=add_advice if main and counts else None,
        before_reply=store_switch,
        typed=typed,
    )
    reply_freshness.remember_prompt(window, event, call.now)
    if event.is_counted:
        window.commands = tuple(
            command.name
            for command in assembly.situation.prompt.commands
            if not is_executed_command(command.name)
        )
    if not main:
        window.prompts = turn
    elif counts:
        session_changes.record_prompt(session, event.prompt, call.now)
        session_upkeep.count_critical_prompt(call, session, assembly.situation)
        _record_switches(session, assembly.situation)
        # Record the change that waits for a yes.
        waiting = session.proposal
        if typed is None or typed.proposal or typed.outcome is not None:
            session.proposal = typed.proposal if typed else None
        elif waiting and turn - waiting.turn > 1:
            session.proposal = None
    reply_freshness.remember_session(window, session)


def _record_switches(session: SessionState, situation: Situation) -> None:
    session_changes.record_star_commands(session, (c.name for c in situation.prompt.commands))
    for key, value in situation.switched.items():
        session_changes.set_override(session, key, value)
