"""This module is CARL's layer of star-commands: the rules of each in the prompt, ``*carl``
among them (its help mode).

What a prompt asks Synapse LS itself (``*carl status``) is answered besides.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import INNER, Section, make_rule_entries
from synapse_ls.engine.systems.carl.rule_section import number_entry
from synapse_ls.engine.user_prompt import is_executed_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation

HEADING = "🎯 ACTIVE COMMANDS 🎯\nEXPLICIT COMMAND INVOCATION - EXECUTE THESE INSTRUCTIONS:"


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the star-commands that a CARL tree defines, in the order of the prompt; others are
    left alone.
    """
    entries = []
    for domain, _ in selection.domains_of("L7"):
        for order, command in enumerate(situation.prompt.commands):
            file = plan.commands.get(command.name, ("", ()))[0]
            if is_executed_command(command.name) or file != domain.file:
                continue
            rows = plan.command_rows(command.name)
            made = make_rule_entries(
                domain,
                rows,
                rank="STAR",
                group=f"[*{command.name}] COMMAND:",
                weight=(-order,),
            )
            for entry, row in zip(made, rows, strict=True):
                number_entry(entry, row, INNER)
                entry.lifetime = "turn"
            entries += made
    return [Section("STAR", HEADING, "L7", entries)]
