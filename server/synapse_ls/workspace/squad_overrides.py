"""This module finds which domains of squads override the root's domains, and so stand in their
place.
"""

from __future__ import annotations

from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain


def overriding_domains(tree: Tree, domain: Domain) -> tuple[Domain, ...]:
    """Returns the squads' domains that take the place of a root's domain because they have its
    name.
    """
    if domain.squad:
        return ()
    found = (
        tree.domains_by_label.get(f"{squad.namespace}_{domain.name}")
        for squad in tree.squads
        if squad.extends == "override"
    )
    return tuple(one for one in found if one and one.squad)


def overridden_domain(tree: Tree, domain: Domain) -> Domain | None:
    """Returns the root's domain whose place a squad's domain takes; None where it takes none's."""
    if not domain.squad:
        return None
    squad = next((one for one in tree.squads if one.folder == domain.squad), None)
    name = domain.label.removeprefix(f"{squad.namespace}_") if squad else ""
    root = tree.domains_by_label.get(name)
    is_meant = root is not None and domain in overriding_domains(tree, root)
    return root if is_meant else None
