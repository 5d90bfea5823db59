"""L7 Star-commands: the rules of each ``*command`` in this prompt (ADR-001 A3)."""

from __future__ import annotations

from synapse_ls.engine.layers.entries import rule_entries
from synapse_ls.engine.prompt import is_executed
from synapse_ls.engine.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """The commands the tree defines, in the order of the prompt; others are left alone.

    ``*synapse …`` is none of them: it is executed, not told (see ``parts.standard.answers``).
    """
    entries = []
    for domain, _ in selection.of("L7"):
        for order, command in enumerate(situation.prompt.commands):
            if is_executed(command.name):
                continue
            made = rule_entries(
                domain,
                plan.command_rows(command.name),
                rank="STAR",
                group=f"[*{command.name}] COMMAND:",
                weight=(-order,),
            )
            for entry in made:
                entry.lifetime = "turn"
            entries += made
    return [Section("STAR", "[STAR-COMMANDS] (for this prompt)", "L7", entries)]
