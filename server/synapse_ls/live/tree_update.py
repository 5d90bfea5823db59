"""The next state of a live tree: buffers laid over the files, and a plan that stays, is updated, or
is made anew by the keys that changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from synapse_ls.ide.tree_view import CompiledTree
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.workspace import chati_places, path_classification
from synapse_ls.workspace.fact_extraction import Key, changed_paths
from synapse_ls.workspace.file_facts import FileFacts, analyze_file, list_file
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.file_reader import MAX_BYTES, too_large_error
from synapse_ls.workspace.instruction_files import with_dead_imports
from synapse_ls.workspace.instruction_paths import is_instruction_path
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot


def buffer_facts(
    root: str, disk: Snapshot, path: str, text: str, live: Snapshot, *, instructions: bool = False
) -> FileFacts | None:
    """Return the facts that a live tree has of a file whose buffer has ``text``; None where the
    path is not ours.

    ``live`` has the configuration in force. What is known of the bytes on disk holds for a buffer
    of the same text. One that is larger than any file that is read is not read either.
    ``instructions``: the text of a file such as ``CLAUDE.md`` counts, though no tree tells it.
    """
    facts = _own_buffer_facts(disk, path, text, live)
    foreign = facts is None or (facts.kind is FileKind.SYNCED and facts.document is None)
    if instructions and foreign and is_instruction_path(path) and len(text) <= MAX_BYTES // 4:
        facts = analyze_file(path, FileKind.INSTRUCTIONS, text)
    elif facts is None or facts is disk.facts(path):
        return facts
    return with_dead_imports(root, facts)


def _own_buffer_facts(disk: Snapshot, path: str, text: str, live: Snapshot) -> FileFacts | None:
    saved = disk.facts(path)
    if saved and saved.is_read and saved.text == text:
        return saved
    kind = saved.kind if saved else path_classification.classify_path(path, live.config.paths)
    if kind is None or kind is FileKind.SESSION:
        return None
    if len(text) > MAX_BYTES // 4 and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        refused = too_large_error()
        problem = Finding(Span(0, 0), refused.sentence, kind=refused.kind)
        return replace(list_file(path, kind), problems=(problem,))
    mtime_ns = saved.mtime_ns if saved else 0
    return analyze_file(path, kind, text, mtime_ns=mtime_ns)


CONFIG_KEY: Key = ("setting", "config")
# Kinds of the files whose text a plan is made of; of the others it knows the names only.
_PLAN_KINDS = (
    RULE_KINDS
    | chati_places.PLAN_KINDS
    | path_classification.BRAINIAC_PLAN_KINDS
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


def advance_tree(compiled: CompiledTree, snapshot: Snapshot, keys: Iterable[Key]) -> CompiledTree:
    """Return the next state of a compiled live tree; ``keys`` are those that changed. The plan
    stays where none concerns it, and is updated where only the text of rule files does.
    """
    changed = frozenset(keys)
    if snapshot is compiled.tree.snapshot:
        return compiled
    if CONFIG_KEY in changed:
        return CompiledTree(Tree(snapshot), compiled.root)
    tree = Tree(snapshot, compiled.tree, changed_paths(changed))
    before = compiled.tree.snapshot
    concerning = []
    for family, name in changed:
        versions = (before.facts(name), snapshot.facts(name)) if family == "content" else ()
        if family == "file" or any(file and file.kind in _PLAN_KINDS for file in versions):
            concerning.append((family, name))
    if not concerning:
        return compiled.with_tree(tree)
    if all(_is_rule_text(key, before, snapshot) for key in concerning):
        return compiled.with_rules(tree, frozenset(path for _, path in concerning))
    return CompiledTree(tree, compiled.root)


def _is_rule_text(key: Key, before: Snapshot, after: Snapshot) -> bool:
    """Check whether a changed key is about what a rule file says that is there as before."""
    family, name = key
    was, now = before.facts(name), after.facts(name)
    if family != "content" or was is None or now is None:
        return False
    return was.kind is now.kind and now.kind in RULE_KINDS
