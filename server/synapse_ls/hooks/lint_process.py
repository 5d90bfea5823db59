"""This module is the linter process behind `lint_feedback`: it prints the findings in some files
of a tree as JSON.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from synapse_ls.engine.text_identity import hash_text
from synapse_ls.hooks.lint_feedback import SEVERE_LEVELS
from synapse_ls.storage.installed_libraries import enable_site_packages
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.line_index import LineIndex

if TYPE_CHECKING:
    from synapse_ls.lint.diagnostic import Diagnostic
    from synapse_ls.lint.rule_selection import Policy
    from synapse_ls.workspace.file_facts import FileFacts
    from synapse_ls.workspace.rule_tree import Tree

GIT_SECONDS: Final = 1.0


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
        findings = lint_file(tree, path, policy, notes)
        former = _former_identities(root, tree, path, policy, findings)
        for finding in findings:
            identity = _identity(finding, facts)
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
                    "identity": identity,
                    "is_committed": former is None or identity in former,
                }
            )
    sys.stdout.buffer.write(dumps(found, indent=None).encode("utf-8", "replace"))
    sys.stdout.flush()
    os._exit(0)  # a large tree takes longer to be taken apart than anybody would like to wait


def _identity(finding: Diagnostic, facts: FileFacts | None) -> str:
    """Returns what is the same for a finding while its line only moves."""
    text = facts.text if facts else ""
    start, end = finding.span
    line = text[text.rfind("\n", 0, start) + 1 : end].partition("\n")[0]
    return hash_text(f"{finding.code} {finding.message} {line}")


def _former_identities(
    root: str, tree: Tree, path: str, policy: Policy, findings: Iterable[Diagnostic]
) -> set[str] | None:
    """Returns the identities of what is found in the text of a file at the last commit; None where
    there is no such text, or nothing mild to compare with it.
    """
    from synapse_ls.lint.lint_runner import lint_file
    from synapse_ls.storage.git_runner import GitError, find_git, run_git
    from synapse_ls.text.decoding import decode_text
    from synapse_ls.workspace.rule_tree import Tree

    git = find_git(root) if any(f.severity.value not in SEVERE_LEVELS for f in findings) else ""
    if not git:
        return None
    try:
        asked = ("cat-file", "blob", f"HEAD:./{path}")
        said = run_git(git, asked, root, time.monotonic() + GIT_SECONDS)
    except GitError:
        return None
    former = Tree(tree.snapshot.with_text(path, decode_text(said.data).text))
    facts = former.snapshot.facts(path)
    return {_identity(finding, facts) for finding in lint_file(former, path, policy)}
