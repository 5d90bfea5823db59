"""This module keeps cached plans in the memory of a process that answers many events."""

from __future__ import annotations

from _thread import allocate_lock

from synapse_ls.storage import plan_cache
from synapse_ls.workspace.regular_files import take_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.storage.plan_cache import CachedPlan
    from synapse_ls.workspace.regular_files import Stamp


class HeldPlans:
    """The plans that a process keeps in memory, as long as their files are those that were read:
    the latest ``limit`` of them.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: dict[tuple[str, str], tuple[Stamp, CachedPlan] | None] = {}
        self._lock = allocate_lock()

    def find(self, root: str, profile: str) -> CachedPlan | None:
        """Returns the plan of a tree, None where it is not held or its file is another one."""
        stamp = take_stamp(plan_cache.plan_file(root, profile))
        with self._lock:
            held = self._held.get((root, profile))
            if held is not None and held[0] != stamp:
                held = None
            self._place_last((root, profile), held)
            return None if held is None else held[1]

    def keep(self, root: str, profile: str, stamp: Stamp, found: CachedPlan) -> None:
        """Keeps a plan whose file had the stamp ``stamp`` before it was read."""
        with self._lock:
            self._place_last((root, profile), (stamp, found))

    def names(self) -> list[tuple[str, str]]:
        """Returns (root, profile) of the plans that were asked for last, the latest at the end."""
        with self._lock:
            return list(self._held)

    def _place_last(self, name: tuple[str, str], held: tuple[Stamp, CachedPlan] | None) -> None:
        self._held.pop(name, None)
        self._held[name] = held
        while len(self._held) > self._limit:
            del self._held[next(iter(self._held))]


def hold_plans(limit: int) -> HeldPlans:
    """Has this process keep the plans that it reads: for one that answers many events."""
    plan_cache.holder[:] = [HeldPlans(limit)]
    return plan_cache.holder[0]
