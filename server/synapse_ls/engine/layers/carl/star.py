"""The rules of each star-command in the prompt, ``*carl`` among them: its help mode is made of rules.

What a prompt asks Synapse LS itself (``*carl status``) is answered besides.
"""

from __future__ import annotations

from synapse_ls.engine.layers.carl.rules import numbered
from synapse_ls.engine.layers.entries import INNER, rule_entries
from synapse_ls.engine.prompt import is_executed
from synapse_ls.engine.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation

HEADING = "🎯 ACTIVE COMMANDS 🎯\nEXPLICIT COMMAND INVOCATION - EXECUTE THESE INSTRUCTIONS:"


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """The commands the tree defines, in the order of the prompt; others are left alone."""
    entries = []
    for domain, _ in selection.of("L7"):
        for order, command in enumerate(situation.prompt.commands):
            file = plan.commands.get(command.name, ("", ()))[0]
            if is_executed(command.name) or file != domain.file:
                continue
            rows = plan.command_rows(command.name)
            made = rule_entries(
                domain,
                rows,
                rank="STAR",
                group=f"[*{command.name}] COMMAND:",
                weight=(-order,),
            )
            for entry, row in zip(made, rows, strict=True):
                numbered(entry, row, INNER)
                entry.lifetime = "turn"
            entries += made
    return [Section("STAR", HEADING, "L7", entries)]
