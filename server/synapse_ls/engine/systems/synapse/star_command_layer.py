"""This module is layer L7 Star-commands: the rules of each ``*command`` in this prompt
(ADR-001 A3).
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import KeptSection, make_rule_entries
from synapse_ls.engine.domain_selection import positions_of
from synapse_ls.engine.user_prompt import is_executed_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the star-commands of layer L7 that the tree defines, in the order of the prompt;
    others are left alone.

    ``*synapse …`` is none of them: it is executed, not shown (see
    ``supplementary_sections.answer_section``).
    """
    domains = [domain for domain, _ in selection.domains_of("L7")]
    commands = tuple(
        (order, command.name)
        for order, command in enumerate(situation.prompt.commands)
        if command.name in plan.commands and not is_executed_command(command.name)
    )
    name = ("L7", commands, *positions_of(domains))
    return [plan.keep(name, lambda: _make_section(plan, domains, commands))]


def _make_section(
    plan: Plan, domains: list[PlanDomain], commands: tuple[tuple[int, str], ...]
) -> Section:
    entries = []
    for domain in domains:
        for order, command in commands:
            made = make_rule_entries(
                domain,
                plan.command_rows(command),
                rank="STAR",
                group=f"[*{command}] COMMAND:",
                weight=(-order,),
            )
            for entry in made:
                entry.lifetime = "turn"
            entries += made
    return KeptSection("STAR", "[STAR-COMMANDS] (for this prompt)", "L7", entries)
