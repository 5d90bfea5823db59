"""Named sections, lower priorities first (neuron-context, ``ContextSection``).

A section may wait for a trigger: every so many prompts, or from so many used tokens on
(``InjectionTrigger``). One without a trigger is always there.
"""

from __future__ import annotations

from synapse_ls.engine.section import Entry, Section
from synapse_ls.engine.selection import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.plan import Domain, Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation

LAYER = "SECTIONS"


def candidates(plan: Plan, situation: Situation, chosen: Selection) -> Iterable[int]:
    """Every section."""
    return plan.always


def decide(plan: Plan, domain: Domain, situation: Situation, chosen: Selection) -> Verdict:
    """Whether a section is told now."""
    if LAYER not in chosen.awake:
        return Verdict("", "not-in-process", (plan.profile.name,))
    if domain.file and not domain.rows:
        return Verdict("", "no-file")
    every, threshold = domain.every_n_turns, domain.on_tokens
    if not every and not threshold:
        return Verdict(LAYER, "section")
    if every and situation.turn % every == 0:
        return Verdict(LAYER, "turns", (str(every),))
    if threshold and (situation.usage.used or 0) >= threshold:
        return Verdict(LAYER, "tokens", (str(threshold),))
    return Verdict("", "waiting")


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """One section for each, in the order in which the plan has them."""
    return [
        Section(
            "SECTION",
            f"## {domain.name}",
            LAYER,
            [
                Entry(
                    row.text,
                    prefix="",
                    rank="SECTION",
                    hash=row.hash,
                    weight=(-domain.position,),
                    domain=domain.label,
                    key=row.key,
                    file=domain.file,
                    line=row.line,
                    lifetime="turn" if verdict.code == "turns" else "state",
                )
                for row in domain.rows
            ],
        )
        for domain, verdict in selection.of(LAYER)
    ]
