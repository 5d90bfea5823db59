"""This module takes the usage figures of a window from events and keeps them in the session for the
prompts to come, as `measure_window_usage` reads them: some clients tell them only when a turn ends.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.storage.session_state import SessionState

    Figures = Mapping[str, object]


def current_figures(call: HookCall, session: SessionState) -> Figures | None:
    """Returns the usage figures that the client gives for the window of this event now; None where
    it gives none.

    The main conversation's transcript says nothing of a sub-agent's window.
    """
    event = call.event
    silent = event.figures is None and not event.subagent
    figures: Figures | None = call.host.read_usage(event) if silent else event.figures
    return None if figures and _is_outdated(session, figures) else figures


def keep_figures(session: SessionState, figures: Figures | None) -> bool:
    """Keeps the usage figures of an event for the prompts to come; returns whether there were any."""
    if not figures or _is_outdated(session, figures):
        return False
    known = {name: value for name, value in figures.items() if _is_plain(value)}
    if known.get("used") is None and known.get("reported") is None:
        return False
    session.context.figures, session.context.outdated_used = known, None
    return True


def keep_figures_of_before(call: HookCall, session: SessionState) -> None:
    """Keeps what a client that has just compacted still says of the window before, so that it is
    known for that: figures that have not fallen since the last reply.
    """
    event = call.event
    figures = None if event.subagent else current_figures(call, session)
    used, before = (figures or {}).get("used"), session.find_window(call.window_key).used
    if isinstance(used, int) and (before is None or used >= before):
        keep_figures(session, figures)


def _is_outdated(session: SessionState, figures: Figures) -> bool:
    before = session.context.outdated_used
    return before is not None and figures.get("used") == before


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
