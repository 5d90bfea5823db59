"""Trees for tests, in memory and on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from synapse_ls.formats import config_file
from synapse_ls.workspace.file_facts import FileFacts, analyze_file, list_file
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.regular_files import Stamp, take_stamp
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot, TreeIndex
from synapse_ls.workspace.tree_loader import LoadedTree

CORE = ".aiox-core/development"
PATHS = config_file.parse("").document.paths

STATE = """\
workflow_id: {workflow}
workflow_name: {workflow}
instance_id: {workflow}-1
target_context: core
started_at: "2026-01-01T00:00:00Z"
updated_at: "{updated}"
status: {status}
current_step_index: 0
steps:
  - phase: build
    agent: dev
    task: build-it.md
    status: pending
"""


def state(workflow: str, *, updated: str = "2026-01-01T00:00:00Z", status: str = "active") -> str:
    """The text of a workflow state file."""
    return STATE.format(workflow=workflow, updated=updated, status=status)


def workflow(name: str) -> str:
    """The text of a workflow definition."""
    return (
        f"workflow:\n  id: {name}\n  name: {name}\n  sequence:\n    - step: a\n      agent: dev\n"
    )


def facts_of(path: str, text: str | None, *, mtime_ns: int = 0) -> FileFacts:
    """The facts of a file at a path that is ours; None for one that is only listed."""
    kind = classify_path(path, PATHS)
    assert kind is not None, path
    if text is None:
        return replace(list_file(path, kind), mtime_ns=mtime_ns)
    return analyze_file(path, kind, dedent(text), mtime_ns=mtime_ns)


def snapshot_of(files: Mapping[str, str | None]) -> Snapshot:
    """An index of these files, in the order given."""
    index = TreeIndex()
    for path, text in files.items():
        index.put_facts(facts_of(path, text))
    return index.snapshot()


def tree_of(files: Mapping[str, str | None]) -> Tree:
    """The resolved view of these files."""
    return Tree(snapshot_of(files))


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below ``root`` and give it back."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(dedent(content).encode() if isinstance(content, str) else content)
    return root


def get(loaded: LoadedTree, path: str, *, is_read: bool = True) -> str:
    """The text of a loaded file."""
    facts = loaded.index.snapshot().facts(path)
    assert facts is not None, path
    assert facts.is_read is is_read, path
    return facts.text


def first_changed_path(root: str, stamps: Mapping[str, Stamp | None]) -> str | None:
    """The first of the stamped paths, relative to ``root``, that is no longer the same."""
    changed = (path for path, stamp in stamps.items() if take_stamp(f"{root}/{path}") != stamp)
    return next(changed, None)
