"""This module compiles a tree and its configuration into a ``Plan``, by the source of the rule
system that the profile names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.custom_profiles import find_profile_table, profile_table_of
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG


def compile_plan(tree: Tree, root: str, *, profile: str = "", standing: bool = False) -> Plan:
    """Compiles the plan of ``tree``; ``root`` is the absolute path of its folder.

    A profile that does not exist is replaced by the default one: the lint and a notice say so.
    With ``standing`` only what may stand in the block of an empty prompt is in it: the root's
    built-in files, always-on domains and those of agents.
    """
    table = profile_table_of(tree, profile)
    source = _load_source(table)
    found: dict[str, Any] = source.plan_fields(tree, table, standing=standing)
    notices = (*_configuration_notices(tree), *found.pop("notices", ()))
    return Plan({"root": root, "profile_table": table, "notices": notices, **found})


def update_plan(plan: Plan, tree: Tree, paths: Iterable[str]) -> Plan | None:
    """Returns the plan of an earlier state of ``tree`` updated to what the rule files ``paths`` say
    now, where nothing else has changed since; None where it has to be compiled anew.
    """
    source = _load_source(plan.profile_table)
    updated: Plan | None = (
        source.update_rules(plan, tree, paths) if hasattr(source, "update_rules") else None
    )
    return updated


def files_needed_for_plan(tree: Tree, profile: str = "") -> tuple[str, ...]:
    """Returns the files that have to be read to compile a plan though a prompt usually does without
    them.
    """
    table = profile_table_of(tree, profile)
    source = _load_source(table)
    return source.needed_files(tree, table) if hasattr(source, "needed_files") else ()


def _load_source(table: dict[str, Any]) -> ModuleType:
    """Returns the module that reads the files of a profile's rule system."""
    return import_module(f"synapse_ls.engine.systems.{table['source']}.source")


def _configuration_notices(tree: Tree) -> Iterator[str]:
    """Yields what is wrong with the configuration, so that nobody believes settings that do not
    hold.
    """
    facts, config = tree.snapshot.facts(CONFIG), tree.snapshot.config
    if facts is not None and facts.problems:
        first = facts.problems[0]
        others = len(facts.problems) - 1
        more = f" (and {others} more: synapse check lists them)" if others else ""
        yield f"{CONFIG}: {first.message.removesuffix('.')}{more}"
    if config.profile and find_profile_table(config, config.profile) is None:
        yield (
            f"{CONFIG} names the profile {config.profile!r}, which does not exist, "
            f"so {tree.profile} holds"
        )
