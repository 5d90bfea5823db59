"""This module says what a tree will be once an edit plan is carried out, and which plan leads from
one tree to another.
"""

from __future__ import annotations

from synapse_ls.text.text_edit import minimal_edit
from synapse_ls.workspace.edit_plan import CREATE, MOVE, EditPlan, create_file, edit_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot


def tree_after(tree: Tree, plan: EditPlan) -> Tree:
    """Returns the planned tree, as it will be once ``plan`` is carried out."""
    snapshot = tree.snapshot
    for change in plan.edits:
        if change.action == MOVE:
            snapshot = _move_folder(snapshot, change.path, change.target)
            continue
        if change.action != CREATE:
            snapshot = snapshot.without_file(change.path)[0]
        snapshot = snapshot.with_text(change.result_path, change.after)
    return Tree(snapshot)


def plan_between(before: Tree, now: Tree) -> EditPlan:
    """Returns the plan that leads from one tree to another that lacks none of its files."""
    found = []
    for path in now.snapshot.paths():
        new, old = now.snapshot.facts(path), before.snapshot.facts(path)
        if new and old is None:
            found.append(create_file(path, new.text))
        elif new and old and new.text != old.text:
            found.append(edit_file(path, old.text, [minimal_edit(old.text, new.text)]))
    return EditPlan(tuple(found))


def _move_folder(snapshot: Snapshot, folder: str, target: str) -> Snapshot:
    for path in snapshot.paths_under(folder):
        facts = snapshot.facts(path)
        snapshot = snapshot.without_file(path)[0]
        if facts and facts.is_read:
            snapshot = snapshot.with_text(f"{target}{path[len(folder) :]}", facts.text)
    return snapshot
