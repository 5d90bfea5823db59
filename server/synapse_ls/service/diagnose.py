"""The process behind `diagnosing`: the findings in some files of a tree, as JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from synapse_ls.service.building import find_libraries
from synapse_ls.text.json import dumps
from synapse_ls.text.lines import LineIndex


def main(root: str, paths: Sequence[str]) -> None:
    """Write the findings in ``paths``, which are relative to ``root``, to standard output."""
    find_libraries()
    from synapse_ls.lint.policy import Policy
    from synapse_ls.lint.run import check_file
    from synapse_ls.workspace.loader import Scope, load
    from synapse_ls.workspace.tree import Tree

    loaded = load(root, Scope.ALL)
    tree = Tree(loaded.index.snapshot())
    policy = Policy(tree.snapshot.config.lint, None, (), asked=paths)
    found = []
    for path in paths:
        facts = tree.snapshot.facts(path)
        lines = LineIndex(facts.text if facts else "")
        notes = [note for note in loaded.notes if note.path == path]
        for finding in check_file(tree, path, policy, notes):
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
