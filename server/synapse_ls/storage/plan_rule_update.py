"""This module updates a cached plan where only rule files have changed: these are read, and take
the place of what the plan said of them. What is not as simple as that is left to a plan that is
made anew.
"""

from __future__ import annotations

import os
from time import time_ns

from synapse_ls.engine.packed_strings import DamagedPlanError
from synapse_ls.engine.systems.synapse.rule_files import RuleFile, with_rule_files
from synapse_ls.storage import plan_cache, plan_writer
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.regular_files import stamp_of_status, take_stamp
from synapse_ls.workspace.tree_folders import TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from synapse_ls.storage.plan_cache import CachedPlan
    from synapse_ls.workspace.regular_files import Stamp

MAX_CHANGED: Final = 8
"""Rule files that are read again; more at once are somebody's checkout."""
LARGE_PLAN: Final = 1_000_000  # bytes from which on nobody waits until a plan is written
_SOURCE = "synapse"
_ENDINGS = (".env", ".md")
_SHARED = "rules"  # in a squad, the file that serves several domains
PARSERS = {
    "constitution": "constitution_file",
    "context": "context_file",
    "commands": "commands_file",
}


def follow_rules(
    cached: CachedPlan, profile: str, files: Iterable[str] | None
) -> tuple[CachedPlan, list[str], bool] | None:
    """Returns a plan updated to what these rule files say now (None: all of them), which of them
    were read, and whether it is kept for the next prompt; None where the plan must be made anew.
    """
    if cached.plan.profile_table["source"] != _SOURCE or cached.plan.notices:
        return None
    try:
        return _follow_changes(cached, profile, files)
    except DamagedPlanError:
        return None


def _follow_changes(
    cached: CachedPlan, profile: str, files: Iterable[str] | None
) -> tuple[CachedPlan, list[str], bool] | None:
    began = time_ns()
    changed = cached.changed_files(files)
    if len(changed) > MAX_CHANGED:
        return None
    content = cached.all_content()
    # What was written in the tick of the clock in which it was read, nobody has looked at since.
    safe = cached.made - plan_cache.CLOCK_TICK
    stamps = {path: one if one and one[0] < safe else _unlike(one) for path, one in content.items()}
    read: dict[str, RuleFile] = {}
    for path in changed:
        found = _read_rules(f"{cached.root}/{path}", path)
        if found is None:
            return None
        stamps[path], read[path] = found
    made = with_rule_files(cached.plan, read)
    if made is None:
        return None
    followed = plan_writer.replace_rules(cached, made, stamps, began)
    is_kept = _may_keep(cached, profile) and plan_writer.keep_plan(followed, profile)
    return followed, changed, is_kept


def _unlike(stamp: Stamp | None) -> Stamp | None:
    """Returns a stamp that no file has, so that it is looked at again."""
    return (-1, *stamp[1:]) if stamp else None


def _may_keep(cached: CachedPlan, profile: str) -> bool:
    """Returns whether a plan is written while a prompt waits: it must be small, and what is kept
    beside it of workflow states must be what it was made with.
    """
    stamp = take_stamp(plan_cache.plan_file(cached.root, profile))
    return not cached.states and stamp is not None and stamp[1] < LARGE_PLAN


def _read_rules(full: str, path: str) -> tuple[Stamp, RuleFile] | None:
    """Returns the stamp of a rule file and what it says now; None where it cannot be believed, or
    says which domains there are.
    """
    folder, _, name = path.rpartition("/")
    stem = next((name.removesuffix(one) for one in _ENDINGS if name.endswith(one)), name)
    if stem == _SHARED and folder != TREE:
        return None
    try:
        content = None if os.path.islink(full) else read_file(full)
    except RefusedError:
        return None
    if content is None or not content.decoded.text:
        return None  # an empty file may be one that is being saved
    text = content.decoded.text
    parser = PARSERS.get(stem, "domain_rules")
    document, _ = load_module(f"synapse_ls.formats.{parser}").parse(text)
    return stamp_of_status(content.status), RuleFile(parser, text, document)
