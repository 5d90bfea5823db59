"""This module brings a compiled live tree up to date by the keys that changed: its plan stays, is
updated, or is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.ide.tree_view import CompiledTree
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.index_keys import Key, changed_paths
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.systems import brainiac_places, chati_places

CONFIG_KEY: Key = ("setting", "config")
_PLAN_KINDS = (
    RULE_KINDS
    | chati_places.PLAN_KINDS
    | brainiac_places.PLAN_KINDS
    | {
        FileKind.MANIFEST,
        FileKind.CARL,
        FileKind.SQUAD,
        FileKind.OLD_SQUAD,
        FileKind.WORKFLOW,
        FileKind.WORKFLOW_STATE,
        FileKind.CONFIG,
    }
)
"""Kinds of the files whose text a plan is made of; of the others it knows the names only."""


def advance_tree(compiled: CompiledTree, snapshot: Snapshot, keys: Iterable[Key]) -> CompiledTree:
    """Returns the next state of a compiled live tree; ``keys`` are those that changed. The plan
    stays where none concerns it, and is updated where only the text of rule files does.
    """
    changed = frozenset(keys)
    if snapshot is compiled.tree.snapshot:
        return compiled
    if CONFIG_KEY in changed:
        return CompiledTree(Tree(snapshot), compiled.root)
    tree = Tree(snapshot, compiled.tree, changed_paths(changed))
    before = compiled.tree.snapshot
    concerning = [key for key in changed if _concerns_plan(key, before, snapshot)]
    if not concerning:
        return compiled.with_tree(tree)
    if all(_is_rule_text(key, before, snapshot) for key in concerning):
        return compiled.with_rules(tree, frozenset(path for _, path in concerning))
    return CompiledTree(tree, compiled.root)


def _concerns_plan(key: Key, before: Snapshot, after: Snapshot) -> bool:
    family, name = key
    if family == "file":
        return True
    facts = (before.facts(name), after.facts(name)) if family == "content" else ()
    return any(found and found.kind in _PLAN_KINDS for found in facts)


def _is_rule_text(key: Key, before: Snapshot, after: Snapshot) -> bool:
    """Checks whether a changed key is about what a rule file says that is there as before."""
    family, name = key
    was, now = before.facts(name), after.facts(name)
    if family != "content" or was is None or now is None:
        return False
    return was.kind is now.kind and now.kind in RULE_KINDS
