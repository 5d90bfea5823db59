"""Write compiled plans into the cache, and update them where only rules or states changed.

Workflow states change in every session with a workflow. Other changes compile the plan again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import islice
from time import time_ns
from typing import TYPE_CHECKING, Any, Final

from synapse_ls.engine.compiled_plan import Plan, active_rows
from synapse_ls.formats.rule import Rule
from synapse_ls.storage import plan_cache, program_start
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace.file_reader import FileContent, RefusedError, read_file
from synapse_ls.workspace.regular_files import (
    FOLDER,
    HAS_HANDLES,
    Stamp,
    stamp_of_status,
    take_stamp,
)
from synapse_ls.workspace.tree_folders import TREE

if TYPE_CHECKING:  # a prompt that waits for a workflow's state needs no parser of rules
    from synapse_ls.formats.domain_file import RulesDocument

RuleFileValues = tuple[str, str, Any]  # those of a `RuleFile`

# Files that are read again; more at once are somebody's checkout.
MAX_CHANGED: Final = 8
LARGE_PLAN: Final = 1_000_000  # bytes from which on nobody waits until a plan is written
ADOPTED_KIND = "adopted"  # the memo of what was read of adopted files
_SOURCE = "synapse"
_ENDINGS = (".env", ".md")
_SHARED = "rules"  # in a squad, the file that serves several domains
PARSERS = {
    "constitution": "constitution_file",
    "context": "context_file",
    "commands": "commands_file",
}


def write_plan(
    plan: Plan, profile: str, always: plan_cache.Stamps, content: plan_cache.Stamps, names: str
) -> None:
    """Write a plan to the cache; a cache that cannot be written is no reason to fail.

    names: what `tree_identity` returned before the files were read.
    """
    # What changes in every session is looked at first.
    needed = {path: always[path] for path in plan.workflow_states if path in always} | dict(always)
    # What is missing where the stamp of its folder would change when it comes to be there. What is
    # there and cannot be reached does not change its folder when it can be.
    for path in [path for path, stamp in always.items() if stamp is None]:
        if always.get(path.rpartition("/")[0]) is not None:
            try:
                os.lstat(f"{plan.root}/{path}")
            except FileNotFoundError:
                del needed[path]
            except (OSError, ValueError):
                continue
    plan_cache.write_plan_file(_stamp_plan(plan, needed, content, names, 0), profile)


def _stamp_plan(
    plan: Plan, always: plan_cache.Stamps, content: plan_cache.Stamps, names: str, written: int
) -> plan_cache.CachedPlan:
    folders: dict[str, dict[str, Stamp | None]] = {}
    for path, stamp in content.items():
        is_folder = stamp is not None and stamp[1] == FOLDER
        folders.setdefault(path if is_folder else path.rpartition("/")[0], {})[path] = stamp
    with_boundaries = {row[7] for row in plan.boundaries}
    guarded = {
        path: stamp
        for folder, stamps in folders.items()
        for path, stamp in stamps.items()
        if (folder not in stamps or path == folder or path in with_boundaries)
        and path not in plan.settings.get("adopted", ())  # they have no boundaries
    }
    paths = tuple(path for position in plan.periodic for path in plan.domain(position).paths)
    guards = (plan.settings["guard"], *plan.guarded_actions)
    return plan_cache.CachedPlan(plan, written, (always, folders, guarded, paths, guards, names))


def update_plan(
    cached: plan_cache.CachedPlan,
    profile: str,
    files: Iterable[str] | None,
    changed_states: list[str] | None = None,
) -> tuple[plan_cache.CachedPlan, list[str], bool] | None:
    """Return a plan updated to what workflow states and these rule files say now (None: all of
    them), which rule files were read, and whether it is kept for the next prompt; None where the
    plan must be made anew. changed_states: the inputs that have changed, where that is known.
    """
    plan = cached.plan
    if plan.profile_table["source"] != _SOURCE or plan.notices:
        return None
    began = time_ns()
    if changed_states is None:
        changed_states = list(cached.changed_inputs())
    changed_files = list(islice(cached.changed_files(files), MAX_CHANGED + 1))
    if max(len(changed_states), len(changed_files)) > MAX_CHANGED:
        return None
    adopted: dict[str, str] = plan.settings.get("adopted", {})
    always = dict(cached.always)
    states = dict(plan.workflow_states)
    for path in changed_states:
        if path.startswith("./"):  # what the file says to its readers counts, not its rules
            if (content := _read_source(plan, path.removeprefix("./"), adopted)) is None:
                return None
            always[path] = stamp_of_status(content.status)
            continue
        state = _read_state(plan, path) if path in states else None
        if state is None:
            return None
        always[path], states[path] = state
    # What was written in the tick of the clock in which it was read, nobody has looked at since.
    safe = cached.written - plan_cache.CLOCK_TICK
    before = cached.all_content()
    stamps = {
        path: (-1, *stamp[1:]) if stamp and stamp[0] >= safe else stamp
        for path, stamp in before.items()
    }
    rules: dict[str, RuleFileValues] = {}
    for path in changed_files:
        if path in adopted:
            rule_file = _read_adopted_rules(plan, path, adopted)
        else:
            rule_file = _read_rules(plan, path)
        if rule_file is None:
            return None
        stamps[path], rules[path] = rule_file
    updated: Plan | None = plan
    if rules:  # nearly always it is a workflow's state that has changed
        from synapse_ls.engine.systems.synapse.rule_files import RuleFile, with_rule_files

        updated = with_rule_files(plan, {path: RuleFile(*row) for path, row in rules.items()})
    if updated is None:
        return None
    updated = updated.replace(workflow_states=states, state_rows=active_rows(states))
    if stamps == before:
        newer = plan_cache.CachedPlan(updated, began, (always, *cached.fields[1:]))
    else:
        newer = _stamp_plan(updated, always, stamps, cached.names, began)
    if plan_cache.holder:
        plan_cache.holder[0].keep(newer, profile)
        return newer, changed_files, True
    # A large one takes too long to write while a prompt waits.
    file = plan_cache.plan_file(newer.root, profile)
    stamp = take_stamp(file)
    is_small = stamp is not None and stamp[1] < LARGE_PLAN
    is_kept = is_small and plan_cache.write_plan_file(newer, profile)
    if is_kept and (stamp := take_stamp(file)):
        newer.written = stamp[0]
    return newer, changed_files, is_kept


def _read_again(plan: Plan, path: str) -> FileContent | None:
    """Return what a file says that has changed; None where it cannot be believed just now: an empty
    one may be one that is being saved, and who makes the plan asks where a link leads.
    """
    try:
        root = plan.root if HAS_HANDLES else os.path.realpath(plan.root)
        content = read_file(f"{root}/{path}", within=root)
    except RefusedError:
        return None
    return content if content and content.decoded.text else None


def _read_rules(plan: Plan, path: str) -> tuple[Stamp, RuleFileValues] | None:
    """Return the stamp of a rule file and what it says now; None where it cannot be believed, or
    says which domains there are.
    """
    folder, _, name = path.rpartition("/")
    stem = next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)
    if stem == _SHARED and folder != TREE:
        return None
    if (content := _read_again(plan, path)) is None:
        return None
    text = content.decoded.text
    parser = PARSERS.get(stem, "domain_file")
    document, _ = load_module(f"synapse_ls.formats.{parser}").parse(text)
    return stamp_of_status(content.status), (parser, text, document)


def _read_source(plan: Plan, path: str, adopted: Mapping[str, str]) -> FileContent | None:
    """Return what an adopted file says now; None where it cannot be believed, or may count for
    others or at other times than before.
    """
    from synapse_ls.formats.instruction_scopes import scope_digest

    content = _read_again(plan, path)
    is_same = content and scope_digest(content.decoded.text) == adopted.get(path)
    return content if is_same else None


def _read_adopted_rules(
    plan: Plan, path: str, adopted: Mapping[str, str]
) -> tuple[Stamp, RuleFileValues] | None:
    """Return the stamp of an adopted file and its rules; None as in `_read_source`."""
    if (content := _read_source(plan, path, adopted)) is None:
        return None
    text, stamp = content.decoded.text, stamp_of_status(content.status)
    memo = plan_cache.read_memo(plan.root, ADOPTED_KIND)
    document = read_instructions(memo, path, text, stamp)
    plan_cache.write_memo(plan.root, ADOPTED_KIND, memo)
    return stamp, ("domain_file", text, document)


def read_instructions(
    memo: dict[str, Any], path: str, text: str, stamp: Stamp | None
) -> RulesDocument:
    """Return the rules of a file of instructions.

    memo: path -> the stamp and the rules of what was read before. It is taken and kept up to date,
    since to read Markdown takes longer than all else.
    """
    from synapse_ls.formats.domain_file import RulesDocument

    row = memo.get(path)
    if row is None or stamp is None or row[0] != stamp:
        program_start.enable_site_packages()
        from synapse_ls.formats.instruction_rules import parse

        row = memo[path] = (stamp, tuple(rule.values for rule in parse(text).document.rules))
    return RulesDocument(text, "instructions", tuple(Rule(*values) for values in row[1]), {})


def _read_state(
    plan: Plan, path: str
) -> tuple[Stamp, tuple[tuple[Any, ...], tuple[Any, ...]]] | None:
    """Return the stamp of a workflow's state file, what orders it, and what it says now; None where
    it is broken, or another workflow's.
    """
    program_start.enable_site_packages()
    from synapse_ls.formats.workflow_state import parse_instance, plan_row, state_order

    content = _read_again(plan, path)
    state = parse_instance(content.decoded.text) if content else None
    workflow = plan.workflow_states[path][1][0]
    if content is None or state is None or state.workflow_id != workflow:
        return None
    order = state_order(state, content.status.st_mtime_ns, path)
    row = plan_row(state, path, plan.workflow_steps.get(workflow, ()))
    return stamp_of_status(content.status), (order, row)


def is_damaged(root: str) -> bool:
    """Return whether there is a cached plan that cannot be read to its end; one of another version
    counts, as nobody can tell.
    """
    return os.path.exists(plan_cache.plan_file(root)) and plan_cache.read_plan(root, "") is None


def drop_plan(root: str) -> None:
    """Remove the cached plan of a tree, if there is one."""
    try:
        os.unlink(plan_cache.plan_file(root))
    except OSError:
        return
