"""This module finds out which rules exist in a folder already, before a first tree is written
there: a tree of ``.synapse/`` would be served in the place of another system's rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.load_scope import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.served_system import chosen_system, find_systems
from synapse_ls.workspace.tree_loader import load_tree


@dataclass(frozen=True, slots=True)
class ServedRules:
    """ServedRules are the existing rules that a folder serves. name: that of their rule system;
    place: where they are. said: all of it in a few words.
    """

    name: str
    place: str
    said: str


def find_served_rules(tree: Tree, root: str) -> ServedRules | None:
    """Returns the existing rules that ``root`` serves already; None where there are none, or a
    ``.synapse/`` that has no rule yet.
    """
    systems = find_systems(root)
    chosen = chosen_system(tree.snapshot.config)
    served = next((one for one in systems if one.name == chosen), next(iter(systems), None))
    if served is None:
        return None
    if chosen not in ("", served.name):
        profile = tree.snapshot.config.profile
        said = f"{served.place} has rules of {served.title}, none of which the profile {profile} serves"
        return ServedRules(served.name, served.place, said)
    plan = compile_plan(Tree(load_tree(root, LoadScope.PROMPT).index.snapshot()), root)
    domains = [domain for domain in plan.domains() if domain.rows]
    rules = sum(len(domain.rows) for domain in domains)
    if served.name == "synapse" and not rules:
        return None
    counts = f"{format_count(len(domains), 'domain')}, {format_count(rules, 'rule')}"
    return ServedRules(
        served.name, served.place, f"{served.place} is served here as {served.title}: {counts}"
    )
