"""What clients say of the usage of their windows: taken from events, kept for the prompts to come.

Some clients tell it only when a turn ends, so the session keeps the last figures under
``context.usage``, as `usage_of` reads them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.service.call import Call

    Figures = Mapping[str, object]
    Session = dict[str, Any]

FIELD: Final = "usage"  # in the session's ``context``
STALE: Final = "stale"  # there too: tokens that were in use before the last compaction


def figures_of(call: Call, session: Session) -> Figures | None:
    """What the client says of the window of this event now; None where it says nothing.

    The main conversation's transcript says nothing of a sub-agent's window.
    """
    event = call.event
    silent = event.figures is None and not event.window
    figures: Figures | None = call.host.usage(event) if silent else event.figures
    return None if figures and _is_stale(session, figures) else figures


def keep(session: Session, figures: Figures | None) -> bool:
    """Note figures for the prompts to come; whether there were any."""
    if not figures or _is_stale(session, figures):
        return False
    known = {name: value for name, value in figures.items() if _is_plain(value)}
    if known.get("used") is None and known.get("reported") is None:
        return False
    context = _context(session)
    context[FIELD] = known
    context.pop(STALE, None)
    return True


def outdate(session: Session) -> None:
    """The history was compacted: what a client repeats of the window before it says nothing now."""
    context = _context(session)
    figures = context.pop(FIELD, None)
    context[STALE] = figures.get("used") if isinstance(figures, dict) else None


def forget(session: Session) -> None:
    """The window has begun anew: nothing is known of it."""
    context = _context(session)
    for name in (FIELD, STALE):
        context.pop(name, None)
    context["prompts_since_compaction"] = 0


def _is_stale(session: Session, figures: Figures) -> bool:
    context = session.get("context")
    before = context.get(STALE) if isinstance(context, dict) else None
    return before is not None and figures.get("used") == before


def _context(session: Session) -> dict[str, Any]:
    context = session.get("context")
    if not isinstance(context, dict):
        context = session["context"] = {}
    return context


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
