"""Whether the last hand-off is told: while an agent or a task is at work (Chati Context Engine, L4)."""

from __future__ import annotations

from synapse_ls.engine.selection import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.plan import Domain, Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def candidates(plan: Plan, situation: Situation, chosen: Selection) -> Iterable[int]:
    """The position of the last hand-off, if there is one."""
    position = plan.labels.get("HANDOFF")
    return () if position is None else (position,)


def decide(plan: Plan, domain: Domain, situation: Situation, chosen: Selection) -> Verdict:
    """Whether ``domain``, the last hand-off, takes part."""
    if "L4" not in chosen.awake:
        return Verdict("", "asleep", ("L4", "handoff"))
    if not (situation.task or situation.agent):
        return Verdict("", "nobody")
    return Verdict("L4", "handoff")
