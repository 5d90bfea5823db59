"""Whether anything can be new within a turn, told by stamps and without a plan.

Most tool events bring nothing new. So a window remembers what its last reply was made of: which
plan and rule files, what the session said of the work, and how large the transcript was. A token is
a byte or more, so as long as the transcript has grown by fewer bytes than there are tokens left to
the next bracket, nobody has to look how many there are. Where nothing is known of the window (before
its first answer, after a compaction) somebody looks once the transcript has grown by a little.
"""

from __future__ import annotations

from synapse_ls.engine.delivery import horizon
from synapse_ls.engine.hashing import text_hash
from synapse_ls.service import cache, compactions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.hosts.event import Event
    from synapse_ls.service.cache import Stamped

    Session = Mapping[str, Any]
    Window = dict[str, Any]

MADE: Final = "made"  # in a window: [time of the plan in the cache, rule files that took part]
STATE: Final = "state"  # who is at work on what, as the session says, in a hash
UNTIL: Final = "until"  # tokens in use at which something changes by itself
LOOK: Final = 16_384  # bytes of transcript after which somebody looks, where nothing was known
_WORK: Final = ("active_agent", "active_workflow", "active_task", "active_squad", "overrides")


def note(
    window: Window, session: Session, event: Event, plan: Plan, written: int, assembly: Assembly
) -> None:
    """Remember what the reply was made of; ``written``: time of the plan's file, 0 for none."""
    window[MADE] = [written, sorted(assembly.selection.files())]
    note_session(window, session)
    window[compactions.TRANSCRIPT] = [event.transcript, compactions.size_of(event.transcript)]
    thresholds = [t for p in plan.periodic if (t := plan.domain(p).on_tokens)]
    full = window.get("remaining")
    window[UNTIL] = horizon(assembly.situation.usage, plan.profile.brackets, full, thresholds)


def note_session(window: Window, session: Session) -> None:
    """Remember what the session says now, once it says what the reply was made with."""
    if MADE in window:
        window[STATE] = _state(session)


def is_unchanged(root: str, session: Session, window: Window, event: Event) -> Stamped | None:
    """The stamps of the tree where nothing is new since the last reply, else None."""
    made = window.get(MADE)
    if not isinstance(made, list) or len(made) != 2 or window.get(STATE) != _state(session):
        return None
    if compactions.is_shorter(window, event) or _has_come_far(window, event):
        return None
    stamped = cache.stamps(root)
    if stamped is None or stamped.written != made[0]:
        return None
    return stamped if stamped.holds() and stamped.holds_for(made[1]) else None


def _has_come_far(window: Window, event: Event) -> bool:
    """Whether the window may be fuller by so much that it matters."""
    until, used = window.get(UNTIL), window.get("used")
    if not isinstance(used, int | float) and not event.window:
        used, until = 0, LOOK  # of a window of which nothing is known, as before its first answer
    if not isinstance(until, int) or not isinstance(used, int | float):
        return False
    if event.figures is not None:
        told = event.figures.get("used")
        return isinstance(told, int | float) and (told >= until or told < used)
    kept = window.get(compactions.TRANSCRIPT)
    size = kept[1] if isinstance(kept, list) and len(kept) == 2 else None
    if not event.transcript or not isinstance(size, int):
        return False
    return used + compactions.size_of(event.transcript) - size >= until


def _state(session: Session) -> str:
    return text_hash(repr([session.get(name) for name in _WORK]))
