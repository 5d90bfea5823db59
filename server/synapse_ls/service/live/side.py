"""A tree in motion: from one snapshot to the next, keeping what the change cannot have touched."""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.ide.view import Compiled
from synapse_ls.workspace.facts import FileFacts, analyze
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.keys import Key, paths_in
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind, classify
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.systems import brainiac, chati
from synapse_ls.workspace.tree import Tree

CONFIG_KEY: Key = ("setting", "config")
_PLANNED = (
    RULE_KINDS
    | chati.PLANNED
    | brainiac.PLANNED
    | {
        FileKind.MANIFEST,
        FileKind.CARL,
        FileKind.SQUAD,
        FileKind.WORKFLOW,
        FileKind.WORKFLOW_STATE,
        FileKind.CONFIG,
    }
)
"""Kinds of the files whose text a plan is made of; of the others it knows the names only."""


def moved(side: Compiled, snapshot: Snapshot, keys: Iterable[Key]) -> Compiled:
    """The next state; ``keys`` are those that changed. The plan stays where none concerns it."""
    changed = frozenset(keys)
    if snapshot is side.tree.snapshot:
        return side
    if CONFIG_KEY in changed:
        return Compiled(Tree(snapshot), side.root)
    tree = Tree(snapshot, side.tree, paths_in(changed))
    if any(_is_planned(key, side.tree.snapshot, snapshot) for key in changed):
        return Compiled(tree, side.root)
    return side.of(tree)


def _is_planned(key: Key, before: Snapshot, after: Snapshot) -> bool:
    family, name = key
    if family == "file":
        return True
    facts = (before.facts(name), after.facts(name)) if family == "content" else ()
    return any(found and found.kind in _PLANNED for found in facts)


def buffered(disk: Snapshot, path: str, text: str, live: Snapshot) -> FileFacts | None:
    """The facts of a file whose buffer has ``text``; None where the path is not ours.

    ``live`` has the configuration in force. What is known of the bytes on disk holds for a buffer
    of the same text.
    """
    known = disk.facts(path)
    if known and known.read and known.text == text:
        return known
    kind = known.kind if known else classify(path, live.config.paths)
    if kind is None or kind is FileKind.SESSION:
        return None
    return analyze(path, kind, text, mtime_ns=known.mtime_ns if known else 0)


def overlaid(disk: Snapshot, buffers: dict[str, str]) -> Snapshot:
    """All buffers over disk; that of the configuration decides what the others are."""
    live = disk
    for path in sorted(buffers, key=lambda path: (path != CONFIG, path)):
        facts = buffered(disk, path, buffers[path], live)
        if facts:
            live = live.with_facts(facts)[0]
    return live
