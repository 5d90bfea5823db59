"""This module decides whether the last hand-off is in a Chati.dev block: while an agent or a task
is at work.

Chati Context Engine, L4.
"""

from __future__ import annotations

from synapse_ls.engine.domain_selection import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def candidate_positions(plan: Plan, situation: Situation, selection: Selection) -> Iterable[int]:
    """Returns the position of the last hand-off in a Chati.dev plan, if there is one."""
    position = plan.position_of("HANDOFF")
    return () if position is None else (position,)


def decide_domain(
    plan: Plan, domain: PlanDomain, situation: Situation, selection: Selection
) -> Verdict:
    """Decides whether the last hand-off of Chati.dev takes part."""
    if "L4" not in selection.awake:
        return Verdict("", "asleep", ("L4", "handoff"))
    if not (situation.task or situation.agent):
        return Verdict("", "nobody")
    return Verdict("L4", "handoff")
