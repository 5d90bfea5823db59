"""A prompt: the agent is told what its window lacks, and the prompt is counted."""

from __future__ import annotations

import os

from synapse_ls.engine.prompt import is_executed
from synapse_ls.service import asked, confirming, touched, unchanged, windows
from synapse_ls.service.acting import AGENT, PROMPTS, turn_of
from synapse_ls.service.telling import COMMANDS, TEXT, prepared, tell
from synapse_ls.sessions import changes
from synapse_ls.text.lazy import load
from synapse_ls.workspace.folders import CONTINUATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.run import Assembly
    from synapse_ls.service.call import Call

    Session = dict[str, Any]
    Window = dict[str, Any]


def handle(call: Call) -> None:
    _ = call.plan  # before the lock: making it may take longer than all that is done under it
    with call.locked() as transaction:
        session = transaction.session
        window = windows.window_of(session, call.key)
        counted = asked.is_same_turn(window, call.event)
        if _is_answered(call, session, window, counted):
            return
        begins = not (call.ALONE or session.get("prompt_count") or call.event.window)
        if begins:
            _resume(call, session)
        _answer(call, session, window, counted)
        transaction.commit()
    call.follow_up(is_new=transaction.is_new)
    if changes.RECOVERY in session:
        load("synapse_ls.service.keeping").work(call, session, waited_for=True)
    if begins:
        load("synapse_ls.service.sweeping").look(call)


def _resume(call: Call, session: Session) -> None:
    """A session begins: it goes on where another one was left, if one was."""
    try:
        os.stat(os.path.join(call.root, CONTINUATION))
    except OSError:
        return
    load("synapse_ls.service.resuming").take_over(call, session)


def _is_answered(call: Call, session: Session, window: Window, counted: bool) -> bool:
    """Whether there is nothing to do but to repeat what was said, or to say nothing.

    A client that asks before each call of the model gets the same text while the turn lasts and
    nothing changes. In any other, a second registration of the hook is silent.
    """
    event = call.event
    if counted and getattr(call.host, "EACH_CALL", False):
        text = window.get(TEXT)
        same = not touched.touched(call.root, event)
        if (
            isinstance(text, str)
            and same
            and unchanged.is_unchanged(call.root, session, window, event)
        ):
            call.reply(text)
            return True
        return False
    if asked.is_repeated(window, event, call.moment):
        call.reply()
        return True
    return False


def _answer(call: Call, session: Session, window: Window, counted: bool) -> None:
    event = call.event
    main = not event.window
    session.pop("ended", None)
    figures = prepared(call, session, window)
    if main:
        confirming.confirm(call, window)
    counts = event.counts and not counted
    before = window.get(PROMPTS) if event.window else session.get("prompt_count")
    turn = (before if isinstance(before, int) else 0) + counts
    assembly = tell(
        call,
        session,
        window,
        event.prompt if event.counts else "",
        turn if counts else turn_of(call, session, window),
        figures,
    )
    asked.remember(window, event, call.moment)
    if event.counts:
        window[COMMANDS] = [
            command.name
            for command in assembly.situation.prompt.commands
            if not is_executed(command.name)
        ]
    if not main:
        window[PROMPTS] = turn
        if event.agent:
            window[AGENT] = event.agent
    elif counts:
        changes.record_prompt(session, event.prompt, call.moment)
        if changes.RECOVERY in session or assembly.situation.bracket.handoff:
            keeping = load("synapse_ls.service.keeping")
            keeping.prompted(session, assembly.situation, event, call.moment)
        _take_over(session, assembly, call.moment)
    unchanged.note_session(window, session)


def _take_over(session: Session, assembly: Assembly, now: float) -> None:
    """What a prompt changes in its session: who is at work on what, and what is switched."""
    situation = assembly.situation
    changes.record_star_commands(session, (c.name for c in situation.prompt.commands))
    if situation.agent_source == "prompt":
        changes.activate_agent(session, situation.agent, now=now)
    for key, value in situation.switched.items():
        changes.set_override(session, key, value)
    if situation.task_source == "command":
        facts = situation.task_facts
        changes.set_task(
            session,
            situation.task,
            story=situation.story or None,
            executor_type=(facts.executor if facts else "") or None,
            now=now,
        )
