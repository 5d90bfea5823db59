"""This module keeps the plans of a hook server current while nobody waits for them: it looks at what
they were made from, and has another process make those anew that are not current.

It only saves time. Every event looks itself, and does what is left to do.
"""

from __future__ import annotations

from time import monotonic

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.packed_strings import DamagedPlanError
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.integrations.window_usage import measure_window_usage
from synapse_ls.storage import current_plan, plan_cache
from synapse_ls.storage.plan_state_update import needs_only_states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.storage.held_plans import HeldPlans
    from synapse_ls.storage.plan_cache import CachedPlan

LEAST_PAUSE: Final = 0.3  # seconds between two looks while events come
MAKING_PAUSE: Final = 0.05  # seconds, while a process makes a plan
LONGEST_PAUSE: Final = 10.0  # seconds, when none have come for a while
QUIET_SECONDS: Final = 60.0
WORK_SHARE: Final = 50  # it rests so many times longer than a look has taken
MOST_UNPACKED: Final = 200  # domains of a new plan that are unpacked before an event asks for them
MAKING_SECONDS: Final = 20.0  # after which a process that was to make a plan is given up


class PlanWatch:
    """Looks after the plans in ``held``."""

    def __init__(self, held: HeldPlans) -> None:
        self._held = held
        self._latest = monotonic()
        self._making: dict[str, tuple[int, float]] = {}
        self._plans: dict[tuple[str, str], Plan] = {}

    def note_event(self) -> None:
        """Notes that an event has come: others may follow."""
        self._latest = monotonic()

    def look(self) -> float:
        """Looks once at every plan, and returns the seconds until the next look."""
        began = monotonic()
        names = self._held.names()
        self._plans = {name: self._plans[name] for name in names if name in self._plans}
        begun = [self._follow(root, profile) for root, profile in names]
        took = monotonic() - began
        if began - self._latest > QUIET_SECONDS:
            return max(LONGEST_PAUSE, took * WORK_SHARE)
        if any(begun):  # which takes longer than to look
            return MAKING_PAUSE
        return max(MAKING_PAUSE if self._making else LEAST_PAUSE, took * WORK_SHARE)

    def _follow(self, root: str, profile: str) -> bool:
        """Holds the plan that is there now, and has it made anew where it is not current; returns
        whether a process was started for that.
        """
        found = plan_cache.read_plan(root, profile)
        if found is None:
            self._making.pop(root, None)
            return False
        self._prepare_use(found.plan, (root, profile))
        if profile or (_is_soon_current(found) and found.is_current_for_all()):
            self._making.pop(root, None)
            return False
        began = self._making.get(root)
        if began is not None and began[0] == found.made and monotonic() - began[1] < MAKING_SECONDS:
            return False  # somebody is at it
        if not current_plan.make_plan(root):
            return False
        self._making[root] = found.made, monotonic()
        return True

    def _prepare_use(self, plan: Plan, name: tuple[str, str]) -> None:
        """Does with a plan that was just read what the next event would do first, if the one before
        was used: unpacks its domains, and makes the sections of a prompt that says nothing.
        """
        before = self._plans.get(name)
        self._plans[name] = plan
        if before is None or before is plan or not (used := before.unpacked_positions()):
            return
        try:
            plan.unpack_domains(used[-MOST_UNPACKED:])
            usage = measure_window_usage(plan, None, None)
            assemble_block(plan, resolve_situation(plan, Request(), usage), standing={})
        except DamagedPlanError:
            return  # an event that uses it will have it made anew


def _is_soon_current(found: CachedPlan) -> bool:
    """Returns whether a plan is current, or is as soon as an event has read what has become of
    workflows: where an agent works through one, each plan would be outdated when it is made.
    """
    return found.is_current() or needs_only_states(found)
