"""The domains that the prompt's words bring in, in the order of the manifest."""

from __future__ import annotations

from synapse_ls.engine.layers.carl.rules import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.section import Section
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """A section for each; of too many, the one with the fewest and shortest matches goes first."""
    sections = []
    for domain, verdict in selection.of("L6"):
        words = verdict.detail if verdict.code in ("recall", "recalled") else ()
        weight = (len(words), max((len(word) for word in words), default=0))
        sections.append(
            told(
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
