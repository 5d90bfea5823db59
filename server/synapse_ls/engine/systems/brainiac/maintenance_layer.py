"""This module is the layer of Brainiac's maintenance sections, which are computed when a plan is
made, since no prompt has a say in them.

Promotion Candidates, Access Patterns, Current LTM Structure, Reorganization Goals.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry
from synapse_ls.engine.systems.brainiac.row_entries import make_section
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation

# What may go over the budget: long lists, of which the last lines count least.
_RANKS = {"STRUCTURE": "LTM", "ACCESS": "EVENT"}


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the maintenance sections of Brainiac's process, in the name of the one layer that
    they share.
    """
    prepared = plan.extra["prepared"]
    shared = next(layer for layer, _ in plan.profile.layers if layer in prepared)
    made = []
    for layer, lines in prepared.items():
        entries = [
            Entry(
                text,
                prefix="",
                rank=_RANKS.get(layer, "STM"),
                hash=hash_text(f"{layer}{text}"),
                weight=(-number,),
                domain=layer,
                key=key,
                file=file,
                line=line,
            )
            for number, (text, key, file, line) in enumerate(lines)
        ]
        made.append(make_section(plan, layer, entries, layer=shared))
    return made
