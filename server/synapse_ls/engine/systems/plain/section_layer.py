"""This module is the one layer of ``plain``: it gives named sections, lower priorities first
(neuron-context, ``ContextSection``), and decides on each.

A section may wait for a trigger: every so many prompts, or from so many used tokens on
(``InjectionTrigger``). One without a trigger is always there.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.domain_selection import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation

LAYER = "SECTIONS"


def candidate_positions(plan: Plan, situation: Situation, selection: Selection) -> Iterable[int]:
    """Returns the positions of all named sections of a plain prompt."""
    return plan.always


def decide_domain(
    plan: Plan, domain: PlanDomain, situation: Situation, selection: Selection
) -> Verdict:
    """Decides whether a named section takes part now."""
    if LAYER not in selection.awake:
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
    """Returns the named sections of the ``plain`` layer, each as one, in the order in which the
    plan has them.
    """
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
        for domain, verdict in selection.domains_of(LAYER)
    ]
