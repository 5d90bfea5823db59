"""This module is CARL's keyword layer: the domains that the prompt's words bring in, in the
order of the manifest.
"""

from __future__ import annotations

from synapse_ls.engine.systems.carl.rule_section import make_rule_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns a section for each domain that keywords bring in with CARL; of too many, the one with
    the fewest and shortest matches goes first.
    """
    sections = []
    for domain, verdict in selection.domains_of("L6"):
        words = verdict.detail if verdict.code in ("recall", "recalled") else ()
        weight = (len(words), max((len(word) for word in words), default=0))
        sections.append(
            make_rule_section(
                domain,
                domain.rows,
                "KEYWORD",
                "L6",
                rank="KEYWORD",
                weight=weight,
                recall=verdict.recall,
            )
        )
    return sections
