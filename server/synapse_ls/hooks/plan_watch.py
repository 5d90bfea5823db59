"""This module keeps the plans of a hook server current while nobody waits for them: it looks at what
they were made from, and has another process make those anew that are not current.

It only saves time. Every event looks itself, and does what is left to do.
"""

from __future__ import annotations

from time import monotonic

from synapse_ls.storage import current_plan, plan_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.storage.held_plans import HeldPlans

LEAST_PAUSE: Final = 0.3  # seconds between two looks while events come
LONGEST_PAUSE: Final = 10.0  # seconds, when none have come for a while
QUIET_SECONDS: Final = 60.0
WORK_SHARE: Final = 50  # it rests so many times longer than a look has taken
MAKING_SECONDS: Final = 20.0  # after which a process that was to make a plan is given up


class PlanWatch:
    """Looks after the plans in ``held``."""

    def __init__(self, held: HeldPlans) -> None:
        self._held = held
        self._latest = monotonic()
        self._making: dict[str, tuple[int, float]] = {}

    def note_event(self) -> None:
        """Notes that an event has come: others may follow."""
        self._latest = monotonic()

    def look(self) -> float:
        """Looks once at every plan, and returns the seconds until the next look."""
        began = monotonic()
        for root, profile in self._held.names():
            self._follow(root, profile)
        took = monotonic() - began
        quiet = began - self._latest > QUIET_SECONDS
        return max(LONGEST_PAUSE if quiet else LEAST_PAUSE, took * WORK_SHARE)

    def _follow(self, root: str, profile: str) -> None:
        """Holds the plan that is there now, and has it made anew where it is not current."""
        found = plan_cache.read_plan(root, profile)
        if found is None or profile or (found.is_current() and found.is_current_for_all()):
            self._making.pop(root, None)
            return
        began = self._making.get(root)
        if began is not None and began[0] == found.made and monotonic() - began[1] < MAKING_SECONDS:
            return  # somebody is at it
        if current_plan.make_plan(root):
            self._making[root] = found.made, monotonic()
