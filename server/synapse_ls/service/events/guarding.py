"""A tool is about to be used: whether it may, by the boundaries of the agent that uses it.

A tool that no boundary could be about costs no more than one that was used: neither the plan nor what
reads command lines is loaded. Whatever goes wrong, the tool is used.
"""

from __future__ import annotations

import os

from synapse_ls.guard.use import ENFORCE, OFF
from synapse_ls.hosts.uses import use_of
from synapse_ls.service import acting, cache, injections, windows
from synapse_ls.sessions.files import SessionError
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.engine.plan import Plan
    from synapse_ls.guard.judge import Verdict
    from synapse_ls.guard.use import Use
    from synapse_ls.service.call import Call

WARNED: Final = "warned"  # in a window: [prompt, rules that its agent was warned of since]

PROTECTED: Final = ("command", "delete", "tool", "write")  # what enforce mode itself is about


def handle(call: Call) -> None:
    use = use_of(call.event, call.root)
    stamped = cache.stamps(call.root)
    current = stamped is not None and stamped.holds() and stamped.holds_for_all()
    if stamped is not None and current and not _concerned(use, *stamped.guards):
        return
    plan = call.plan.whole().plan
    mode: str = plan.settings["guard"]
    if not _concerned(use, mode, *plan.guarded):
        return
    session = _session(call)
    found, agent = _judged(call, plan, session, use)
    if found.decision == "allow":
        return
    reason = told(found)
    if mode == ENFORCE:
        call.answer(call.host.decide(call.event, found.decision, reason))
    elif not _warn(call, found, reason):
        return
    injections.note_verdict(call.root, call.host.NAME, call.event, found, agent, mode, call.moment)


def _concerned(use: Use, mode: str, *verbs: str) -> bool:
    if mode == OFF:
        return False
    return use.concerns((*verbs, *PROTECTED) if mode == ENFORCE else verbs)


def _session(call: Call) -> dict[str, Any]:
    """The session as it is, without its lock: a verdict changes nothing in it."""
    if not call.event.session_id:
        return {}
    try:
        return call.store.load(call.event.session_id) or {}
    except SessionError:
        return {}


def _judged(call: Call, plan: Plan, session: dict[str, Any], use: Use) -> tuple[Verdict, str]:
    """The verdict, and the agent on whom it is."""
    resolve, request = (
        getattr(load("synapse_ls.engine.situation"), name) for name in ("resolve", "Request")
    )
    touched = load("synapse_ls.service.touched")
    guard = load("synapse_ls.service.guard")
    window = windows.peek(session, call.key)
    turn = acting.turn_of(call, session, window)
    start = call.event.cwd or call.root
    files = [
        touched.within(call.root, spelled, call.event.cwd)
        for _, path in use.files
        for spelled in (path, os.path.realpath(os.path.join(start, path)))
    ]
    asked = request(
        agent=acting.known_agent(plan, call.event, window),
        session=session,
        recalled=windows.recalled(window, turn, plan.profile.recall_prompts),
        files=(*touched.recent(window, turn), *filter(None, files)),
        turn=turn,
    )
    usage = load("synapse_ls.service.usage").usage_of(plan, session)
    situation = resolve(plan, asked, usage)
    return guard.verdict(plan, situation, use, project=call.root), situation.agent


def told(found: Verdict) -> str:
    """A verdict as the agent and the person are told it."""
    clause = found.clause
    text = f"Synapse LS: {found.why[:1].upper()}{found.why[1:]}."
    if clause is not None and clause.delegate and f"@{clause.delegate}" not in text:
        text += f" Ask @{clause.delegate}."
    return text


def _warn(call: Call, found: Verdict, reason: str) -> bool:
    """Tell the agent, who may go on; False where it was told of this rule in this turn already."""
    rule = found.clause.place if found.clause is not None else found.why
    text = f"{reason} The guard is set to warn, so the tool is used all the same."
    shown = {**call.host.notify(call.event, text), **call.host.reply(call.event, text)}
    if not call.event.session_id:
        call.answer(shown)
        return True
    try:
        with call.locked() as transaction:
            session = transaction.session
            window = windows.window_of(session, call.key)
            turn = acting.turn_of(call, session, window)
            known = window.get(WARNED)
            rules = known[1] if isinstance(known, list) and known[:1] == [turn] else []
            if rule in rules:
                return False
            window[WARNED] = [turn, [*rules, rule]]
            if not call.takes_context:
                waiting = window.get(windows.WARNINGS)
                window[windows.WARNINGS] = [*(waiting if isinstance(waiting, list) else ()), text]
            call.answer(shown)
            transaction.commit()
    except SessionError:
        call.answer(shown)  # without a place to remember, every warning is the first one
    return True
