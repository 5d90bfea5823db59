"""This module updates a cached plan where only states of workflows have changed: that happens in
every session that works through one, and needs no rule to be read.

Beside the plan is kept what it does not say of the states that it was made from: their stamps, what
orders them, the steps of their definitions, and what was read of them since. What is not as simple as that is left to a plan
that is made anew.
"""

from __future__ import annotations

import os
from time import time_ns

from synapse_ls.storage import plan_cache
from synapse_ls.workspace.regular_files import stamp_of_status, take_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.storage.plan_cache import CachedPlan
    from synapse_ls.workspace.regular_files import Stamp
    from synapse_ls.workspace.rule_tree import Tree

    Stamps = dict[str, Stamp | None]
    StateRow = tuple[tuple[Any, ...], tuple[Any, ...]]  # what orders it, and what a plan says of it

MEMO_KIND: Final = "states"
MAX_CHANGED: Final = 8
"""States that are read again; more at once are somebody's checkout."""
_SOURCE = "synapse"
_ENDING = "-state.yaml"


def write_states(plan: Plan, tree: Tree, always: Stamps, profile: str) -> None:
    """Keeps, of a plan that was just made from a tree, what an update of its workflow states has to
    know later.
    """
    if plan.profile_table["source"] != _SOURCE or plan.notices:
        return
    from synapse_ls.engine.systems.synapse.source import defined_steps
    from synapse_ls.workspace.workflow_order import state_order

    rows: dict[str, StateRow] = {}
    definitions: dict[str, Any] = {}
    told = {row[5]: row for row in plan.state_rows}
    for path, state in tree.workflow_states:
        facts = tree.snapshot.facts(path)
        if facts is not None and path in told:
            rows[path] = state_order(state, facts.mtime_ns, path), told[path]
            definitions[state.workflow_id] = defined_steps(tree, state.workflow_id)
    if len(rows) == len(plan.state_rows):
        stamps = {path: always.get(path) for path in rows}
        memo = {"stamps": stamps, "rows": rows, "definitions": definitions, "profile": profile}
        plan_cache.write_memo(plan.root, MEMO_KIND, memo)


def follow_states(cached: CachedPlan, profile: str) -> bool:
    """Updates a plan to what its workflow states say now; returns False where more has changed than
    the texts of states in progress, so that the plan must be made anew.
    """
    plan = cached.plan
    changed = _changed_states(cached)
    if not changed:
        return False
    memo = _read_states(cached, profile)
    if memo is None:
        return False
    rows: dict[str, StateRow] = dict(memo.get("rows", {}))
    stamps: Stamps = memo["stamps"]
    began = time_ns()
    known: dict[str, tuple[Stamp, StateRow]] = memo.get("known", {})
    safe = memo.get("read", 0) - plan_cache.CLOCK_TICK
    read: dict[str, tuple[Stamp, StateRow]] = {}
    renewed: Stamps = {}
    for path in changed:
        full = f"{plan.root}/{path}"
        found = known.get(path)
        if found is None or found[0] != take_stamp(full) or found[0][0] >= safe:
            found = _read_row(full, path, memo) if path in rows else None
            if found is None:
                return False
            read[path] = found
        renewed[path], rows[path] = found
    if read and not plan_cache.holds_plans():
        plan_cache.write_memo(
            plan.root, MEMO_KIND, {**memo, "known": {**known, **read}, "read": began}
        )
    is_active = {path: not order[0] for path, (order, _) in rows.items()}
    plan.set_states(tuple(row for order, row in sorted(rows.values()) if is_active[row[5]]))
    cached.renew(renewed, began, {**memo, "rows": rows, "stamps": {**stamps, **renewed}})
    return True


def needs_only_states(cached: CachedPlan) -> bool:
    """Returns whether `follow_states` will most likely do for a plan that is not current."""
    plan = cached.plan
    has_memo = plan.profile_table["source"] == _SOURCE and not plan.notices
    return has_memo and bool(_changed_states(cached))


def _changed_states(cached: CachedPlan) -> list[str]:
    """Returns the states of workflows that have changed, if these are few, and nothing else that
    every prompt depends on has changed; else [].
    """
    changed = cached.changed_inputs(MAX_CHANGED)
    is_simple = len(changed) <= MAX_CHANGED and all(path.endswith(_ENDING) for path in changed)
    return changed if is_simple else []


def _read_states(cached: CachedPlan, profile: str) -> dict[str, Any] | None:
    """Returns what is kept of the states that a plan says; None where there is nothing of this
    plan: what is kept may be of another profile, or of a plan that was made since.
    """
    plan = cached.plan
    memo = cached.states or plan_cache.read_memo(plan.root, MEMO_KIND)
    rows = memo.get("rows", {})
    belongs = bool(cached.states) or (
        memo.get("profile") == profile
        and [row for _, row in sorted(rows.values())] == [*plan.state_rows]
    )
    stamps = {path: cached.always.get(path) for path in rows}
    return memo if belongs and not plan.notices and memo.get("stamps") == stamps else None


def _read_row(full: str, path: str, memo: dict[str, Any]) -> tuple[Stamp, StateRow] | None:
    """Returns the stamp of a state file and what it says now; None where it is broken, or another
    workflow's.
    """
    from synapse_ls.storage.program_start import enable_site_packages

    enable_site_packages()
    from synapse_ls.formats.workflow_state import parse_instance, plan_row
    from synapse_ls.workspace.file_reader import RefusedError, read_file
    from synapse_ls.workspace.workflow_order import state_order

    try:
        content = None if os.path.islink(full) else read_file(full)
    except RefusedError:
        return None
    if content is None:
        return None
    state = parse_instance(content.decoded.text)
    before = memo["rows"][path][1][0]
    if state is None or state.workflow_id != before:
        return None
    order = state_order(state, content.status.st_mtime_ns, path)
    row = plan_row(state, path, memo["definitions"][before])
    return stamp_of_status(content.status), (order, row)
