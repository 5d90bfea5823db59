"""The profile ``plain``: named sections by priority (neuron-context, ``PersistentContext``).

There is one bracket. Over the budget (``[plain] budget``, none by default) whole sections are cut
from the end and nothing replaces them, as the library renders. A section without a trigger
(``InjectionTrigger``: every n prompts, or from n used tokens on) is always included.
"""

from collections.abc import Iterable
from typing import Any

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.compiled_plan import Plan, PlanDomain, bracket_rows
from synapse_ls.engine.domain_selection import Selection, Verdict
from synapse_ls.engine.situation import Situation

UNLIMITED = 1_000_000  # tokens: more than any context window

PROFILE: dict[str, Any] = {
    "name": "plain",
    "source": "plain",
    "layout": {"open": "", "between": "\n\n", "close": "", "indent": ""},
    "layers": (("SECTIONS", "systems.plain.profile.named_sections"),),
    "parts": (
        "systems.brainiac.layers.notice_section",
        "systems.brainiac.layers.answer_section",
        "systems.brainiac.layers.devmode_section",
    ),
    "closing": (),
    "unbudgeted": ("DEVMODE", "SYNAPSE", "NOTICE"),
    "handoff_below": 0,
    "withdrawn": "systems.brainiac.layers.withdrawn_section",
    "home": ".synapse/",
    "brackets": bracket_rows(
        ("ALWAYS", 0, UNLIMITED, "0–100%", ("SECTIONS",), "none", 0, False, 10)
    ),
    "sections": ("WITHDRAWN", "SECTION", "NOTICE", "SYNAPSE", "DEVMODE"),
    "drop": ("CUT_LINES", "SECTION"),
    "protected": ("DEVMODE", "SYNAPSE", "NOTICE", "WITHDRAWN"),
    "lifetimes": {"WITHDRAWN": "turn", "SYNAPSE": "turn", "DEVMODE": "turn"},
    "recall_prompts": 5,
    "executors": {},
    "deciders": {"section": "systems.plain.profile"},
    "headings": {"NOTICE": "## Notice", "SYNAPSE": "## Synapse", "DEVMODE": "## DEVMODE Status"},
}


LAYER = "SECTIONS"


def candidate_positions(plan: Plan, situation: Situation, selection: Selection) -> Iterable[int]:
    """Return the positions of all named sections of a plain prompt."""
    return plan.always


def decide_domain(
    plan: Plan, domain: PlanDomain, situation: Situation, selection: Selection
) -> Verdict:
    """Decide whether a named section takes part now."""
    if LAYER not in selection.awake:
        return Verdict("", "not-in-process", (plan.profile.name,))
    if domain.file and not domain.rules:
        return Verdict("", "no-file")
    every, threshold = domain.every_n_turns, domain.on_tokens
    if not every and not threshold:
        return Verdict(LAYER, "section")
    if every and situation.turn % every == 0:
        return Verdict(LAYER, "turns", (str(every),))
    if threshold and (situation.usage.used or 0) >= threshold:
        return Verdict(LAYER, "tokens", (str(threshold),))
    return Verdict("", "waiting")


def named_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return the named sections of the ``plain`` layer, each as one, in the order in which the plan
    has them.
    """
    return [
        Section(
            "SECTION",
            f"## {domain.name}",
            LAYER,
            [
                Entry(
                    rule.text,
                    prefix="",
                    rank="SECTION",
                    hash=rule.hash,
                    weight=(-domain.position,),
                    domain=domain.label,
                    key=rule.key,
                    file=domain.file,
                    line=rule.line,
                    lifetime="turn" if verdict.code == "turns" else "state",
                )
                for rule in domain.rules
            ],
        )
        for domain, verdict in selection.domains_of(LAYER)
    ]
