"""A tree and its configuration → a ``Plan``, by the source that its profile names."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from synapse_ls.engine.plan import Plan
from synapse_ls.engine.profiles import custom
from synapse_ls.formats.config import Config
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.tree import Tree

DEFAULT_PROFILE = "synapse"


def profile_table(config: Config, profile: str) -> dict[str, Any] | None:
    """The table of a built-in profile or of one of the configuration's own; None for neither."""
    made = custom.make(profile, config.profiles)
    return made.table if made else None


def table_of(tree: Tree, profile: str = "") -> dict[str, Any]:
    """The table that ``tree`` is served with; a profile that does not exist has the default in its place."""
    config = tree.snapshot.config
    wanted = (profile or config.profile or tree.profile, tree.profile, DEFAULT_PROFILE)
    return next(filter(None, (profile_table(config, name) for name in wanted)))


def compile_plan(tree: Tree, root: str, *, profile: str = "", standing: bool = False) -> Plan:
    """The plan of ``tree``; ``root`` is the absolute path of its folder.

    A profile that does not exist is replaced by the default one: the lint and a notice say so.
    With ``standing`` only what may stand in the block of an empty prompt is in it: the root's
    built-in files, always-on domains and those of agents.
    """
    table = table_of(tree, profile)
    source = _source(table)
    found: dict[str, Any] = source.fields(tree, table, standing=standing)
    notices = (*_notices(tree), *found.pop("notices", ()))
    return Plan({"root": root, "profile_table": table, "notices": notices, **found})


def needed(tree: Tree, profile: str = "") -> tuple[str, ...]:
    """The files that have to be read for a plan though a prompt usually does without them."""
    table = table_of(tree, profile)
    source = _source(table)
    return source.needs(tree, table) if hasattr(source, "needs") else ()


def _source(table: dict[str, Any]) -> ModuleType:
    """What reads the files of a profile."""
    return import_module(f"synapse_ls.engine.sources.{table['source']}")


def _notices(tree: Tree) -> Iterator[str]:
    """What is wrong with the configuration, so that nobody believes settings that do not hold."""
    facts, config = tree.snapshot.facts(CONFIG), tree.snapshot.config
    if facts is not None and facts.problems:
        first = facts.problems[0]
        others = len(facts.problems) - 1
        more = f" (and {others} more: synapse check lists them)" if others else ""
        yield f"{CONFIG}: {first.message.removesuffix('.')}{more}"
    if config.profile and profile_table(config, config.profile) is None:
        yield (
            f"{CONFIG} names the profile {config.profile!r}, which does not exist, "
            f"so {tree.profile} holds"
        )
