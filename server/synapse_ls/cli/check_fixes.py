"""This module plans what ``synapse check`` changes with ``--fix``, ``--diff`` and
``--add-suppressions``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from synapse_ls.lint.diagnostic import Fix
from synapse_ls.lint.fix_plan import is_rewritable, plan_fixes
from synapse_ls.lint.suppressions import suppression_edit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator

    from synapse_ls.cli.check_scope import OpenedTree
    from synapse_ls.lint.diagnostic import Diagnostic
    from synapse_ls.lint.fix_plan import FixOutcome
    from synapse_ls.workspace.rule_tree import Tree


def plan_check_fixes(opened: OpenedTree, options: Namespace, only_path: str = "") -> FixOutcome:
    """Returns what ``--fix`` or ``--add-suppressions`` do to a tree, as far as the call is about
    it.

    ``only_path`` is the one file that may change, where it is not all of them.
    """
    tree = opened.tree

    def is_fixable(found: Diagnostic) -> bool:
        paths = {path for path, _ in found.fix.edits} if found.fix else set[str]()
        return (
            opened.scope.wants(found)
            and paths <= ({only_path} if only_path else paths)
            and all(is_rewritable(tree, path) for path in paths)
        )

    if options.add_suppressions:
        return plan_fixes(tree, _suppression_check(opened), accepts=is_fixable)
    return plan_fixes(
        tree, opened.find_new_findings, unsafe=options.unsafe_fixes, accepts=is_fixable
    )


def _suppression_check(opened: OpenedTree) -> Callable[[Tree], Iterator[Diagnostic]]:
    """Returns a check that has, in place of each line's fixes, the comment that suppresses what is
    found there.
    """

    def find_suppressions(tree: Tree) -> Iterator[Diagnostic]:
        lines: dict[tuple[str, int], list[Diagnostic]] = {}
        for found in opened.find_new_findings(tree):
            facts = tree.snapshot.facts(found.path)
            if facts and facts.is_read and opened.scope.wants(found):
                line = facts.lines.line_of(found.span.start)
                lines.setdefault((found.path, line), []).append(found)
        for (path, _), group in lines.items():
            facts = tree.snapshot.facts(path)
            codes = sorted({found.code for found in group})
            edit = suppression_edit(facts, group[0].span, codes) if facts else None
            if edit:
                yield replace(group[0], fix=Fix("Silence", True, ((path, edit),)))

    return find_suppressions
