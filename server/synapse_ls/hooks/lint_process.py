"""This module is the linter process behind `lint_feedback`: it prints the findings in some files
of a tree as JSON.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from synapse_ls.storage.installed_libraries import enable_site_packages
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.light_os import os


def main(root: str, paths: Sequence[str]) -> None:
    """Writes the findings in ``paths``, which are relative to ``root``, to standard output."""
    enable_site_packages()
    from synapse_ls.lint.lint_runner import lint_file
    from synapse_ls.lint.rule_selection import Policy
    from synapse_ls.workspace.load_scope import LoadScope
    from synapse_ls.workspace.rule_tree import Tree
    from synapse_ls.workspace.tree_loader import load_tree

    loaded = load_tree(root, LoadScope.ALL)
    tree = Tree(loaded.index.snapshot())
    policy = Policy(tree.snapshot.config.lint, None, (), named_paths=paths)
    found = []
    for path in paths:
        facts = tree.snapshot.facts(path)
        lines = LineIndex(facts.text if facts else "")
        notes = [note for note in loaded.notes if note.path == path]
        for finding in lint_file(tree, path, policy, notes):
            line, column = lines.position(finding.span.start)
            found.append(
                {
                    "path": path,
                    "line": line + 1,
                    "column": column + 1,
                    "severity": finding.severity.value,
                    "code": finding.code,
                    "message": finding.message,
                    "remedy": finding.remedy,
                }
            )
    sys.stdout.buffer.write(dumps(found, indent=None).encode("utf-8", "replace"))
    sys.stdout.flush()
    os._exit(0)  # a large tree takes longer to be taken apart than anybody would like to wait
