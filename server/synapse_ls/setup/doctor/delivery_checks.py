"""This module checks whether a tree has rules for an agent to be told, and whether they are heard
from the first prompt on.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.edits.profile_choice import LIVE_PROFILE
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.integrations.client_definition import Surroundings, Trouble
from synapse_ls.lint.domain_activation import tree_profile
from synapse_ls.lint.rules.brackets_and_budgets.sleeping_trigger import (
    describe_sleep,
    find_sleeping_domains,
)
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import MANIFEST
from synapse_ls.workspace.tree_loader import LoadScope, load_tree


def delivery_troubles(around: Surroundings, asleep: str) -> Iterator[Trouble]:
    """Yields that there is no rule to tell, or none that is heard while the window is fresh.

    asleep: what `sleeping_triggers` says of the tree.
    """
    root = str(around.root)
    plan = compile_plan(_read_tree(root), root)
    if not any(domain.rows and domain.active for domain in plan.domains()):
        said = f"no rule reaches the model: the profile {plan.profile.name} finds none in {root}"
        remedy = "Run `synapse domains`, which shows what is there, and why it does not count."
        yield Trouble("no-rules", "error", "", said, remedy)
    elif asleep and _all_asleep(root):
        said = f"no rule reaches the model with the first prompts: {asleep}"
        remedy = f"Run `synapse profile use {LIVE_PROFILE}`."
        yield Trouble("no-rules", "error", "", said, remedy, MANIFEST)


def sleeping_triggers(root: str) -> str:
    """Returns which domains of a tree, those of squads included, are not heard while the window is
    fresh, as a sentence without a full stop; "" for none.
    """
    tree = _read_tree(root)
    if tree_profile(tree).brackets and (sleeping := find_sleeping_domains(tree, tree.domains)):
        return describe_sleep(tree, sleeping)
    return ""


def _all_asleep(root: str) -> bool:
    tree = _read_tree(root)
    heard = [domain for domain in tree.domains if domain.file and domain.is_active]
    return len(find_sleeping_domains(tree, tree.domains)) == len(heard)


def _read_tree(root: str) -> Tree:
    return Tree(load_tree(root, LoadScope.PROMPT).index.snapshot())
