"""A tool was used: in a long turn, what has changed since its prompt is told without waiting.

Nearly always nothing has, and then neither the plan nor the lock of the session is asked for.
"""

from __future__ import annotations

from synapse_ls.service import acting, touched, unchanged, windows
from synapse_ls.sessions.changes import RECOVERY
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.service.cache import Stamped
    from synapse_ls.service.call import Call

    Window = dict[str, Any]


def handle(call: Call) -> None:
    event = call.event
    found = findings(call)
    session = call.store.load(event.session_id) or {}
    pattern = message = ""
    if event.error:
        told, pattern, message = load("synapse_ls.service.failing").met(call, session)
        found = "\n\n".join(filter(None, (found, told)))
    window = windows.peek(session, call.key)
    files = touched.touched(call.root, event)
    stamped = unchanged.is_unchanged(call.root, session, window, event)
    silent = not found and windows.WARNINGS not in window
    if stamped is not None and silent and not _wakes(stamped, window, files):
        call.reply()
    elif call.takes_context:
        _tell(call, found)
    else:
        call.reply()
        _remember(call, files)
    _follow(call, session, pattern, message)


def _follow(call: Call, session: Mapping[str, Any], pattern: str, message: str) -> None:
    """What an error, or a success while something fails, leaves to note; nearly always nothing."""
    if pattern:
        load("synapse_ls.service.failing").note(call, pattern, message)
    elif RECOVERY in session and not call.event.error:
        failing = load("synapse_ls.service.failing")
        if failing.is_awaited(session):
            failing.passed(call)


def findings(call: Call) -> str:
    """What the linter says of the rule files that the tool has changed."""
    edited = [path for path in call.event.edited if touched.is_rule_file(path)]
    if not edited or not call.takes_context:
        return ""
    report: str = load("synapse_ls.service.diagnosing").report(call, edited)
    return report


def _wakes(stamped: Stamped, window: Window, files: tuple[str, ...]) -> bool:
    """Whether a file is touched for the first time in this turn that a domain waits for."""
    if not files or not stamped.paths:
        return False
    known = window.get(touched.FIELD)
    new = [path for path in files if not (isinstance(known, dict) and path in known)]
    any_match = load("synapse_ls.engine.globs").any_match
    return bool(new and any_match(stamped.paths, new))


def _tell(call: Call, found: str) -> None:
    telling = load("synapse_ls.service.telling")
    _ = call.plan  # before the lock: making it may take longer than all that is done under it
    with call.locked() as transaction:
        session = transaction.session
        window = windows.window_of(session, call.key)
        if call.event.agent and call.event.window:
            window[acting.AGENT] = call.event.agent
        figures = telling.prepared(call, session, window)
        turn = acting.turn_of(call, session, window)
        telling.tell(call, session, window, "", turn, figures, within=True, beside=found)
        transaction.commit()
    call.follow_up(is_new=transaction.is_new)


def _remember(call: Call, files: tuple[str, ...]) -> None:
    """For the next prompt, where the client passes nothing on to the agent now."""
    if not files and not call.event.figures:
        return
    figures = load("synapse_ls.service.figures")
    with call.locked() as transaction:
        session = transaction.session
        if transaction.is_new:
            return
        window = windows.window_of(session, call.key)
        touched.remember(window, files, acting.turn_of(call, session, window))
        if not call.event.window:
            figures.keep(session, call.event.figures)
        transaction.commit()
