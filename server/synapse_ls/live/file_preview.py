"""This module checks a buffer by itself, for an editor whose tree is still being read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from synapse_ls.lint.lint_runner import combine_diagnostics, file_diagnostics
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.lint.rules.syntax.unused_suppression import RULE as UNUSED
from synapse_ls.live.tree_update import buffer_facts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.file_reader import RefusedError, read_configuration_file
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_folders import CARL, CONFIG, TREE
from synapse_ls.workspace.tree_loader import analyze_content

if TYPE_CHECKING:
    from synapse_ls.text.finding import Diagnostic


def preview_file(root: str, path: str, text: str) -> tuple[Diagnostic, ...]:
    """Previews what is wrong with a file's buffer whatever the other files of its tree say; nothing
    where only they tell whether the file is read at all.
    """
    if not os.path.lexists(f"{root}/{path}"):
        return ()
    if path.startswith(f"{CARL}/") and os.path.lexists(f"{root}/{TREE}"):
        return ()  # which of the two is served depends on their files
    snapshot = _configured_snapshot(root)
    facts = buffer_facts(root, Snapshot(), path, text, snapshot)
    policy = Policy(snapshot.config.lint)
    own = file_diagnostics(facts, path, policy)
    # Whether a comment suppresses nothing depends on findings that are not known yet.
    found = combine_diagnostics(facts, own, (), policy)
    return tuple(one for one in found if one.code != UNUSED.code)


def _configured_snapshot(root: str) -> Snapshot:
    """Returns a tree that has nothing but its configuration."""
    try:
        content = read_configuration_file(root)
    except RefusedError:
        content = None
    if content is None:
        return Snapshot()
    return Snapshot().with_facts(analyze_content(CONFIG, FileKind.CONFIG, content))[0]
