"""``--fix``, ``--diff`` and ``--add-suppressions``: what a check would change, as a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from synapse_ls.lint.diagnostic import Fix
from synapse_ls.lint.suppressions import suppression_edit
from synapse_ls.manage.fix import plan_fixes

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator

    from synapse_ls.cli.check_tree import Opened
    from synapse_ls.lint.diagnostic import Diagnostic
    from synapse_ls.manage.fix import Mended
    from synapse_ls.workspace.tree import Tree

_NOT_TEXT = frozenset({"not-utf8", "invalid-utf8"})
"""Problems of files that could not be written back as they were."""


def mend(opened: Opened, options: Namespace, only: str = "") -> Mended:
    """What ``--fix`` or ``--add-suppressions`` do to a tree, as far as the call is about it.

    ``only`` is the one file that may change, where it is not all of them.
    """
    tree = opened.tree

    def can(found: Diagnostic) -> bool:
        paths = {path for path, _ in found.fix.edits} if found.fix else set[str]()
        return (
            opened.asked.wants(found)
            and paths <= ({only} if only else paths)
            and all(_is_text(tree, path) for path in paths)
        )

    if options.add_suppressions:
        return plan_fixes(tree, _silencing(opened), wanted=can)
    return plan_fixes(tree, opened.find, unsafe=options.unsafe_fixes, wanted=can)


def _silencing(opened: Opened) -> Callable[[Tree], Iterator[Diagnostic]]:
    """A check that has, in place of each line's fixes, the comment that silences what is found there."""

    def find(tree: Tree) -> Iterator[Diagnostic]:
        lines: dict[tuple[str, int], list[Diagnostic]] = {}
        for found in opened.find(tree):
            facts = tree.snapshot.facts(found.path)
            if facts and facts.read and opened.asked.wants(found):
                line = facts.lines.line_of(found.span.start)
                lines.setdefault((found.path, line), []).append(found)
        for (path, _), group in lines.items():
            facts = tree.snapshot.facts(path)
            codes = sorted({found.code for found in group})
            edit = suppression_edit(facts, group[0].span, codes) if facts else None
            if edit:
                yield replace(group[0], fix=Fix("Silence", True, ((path, edit),)))

    return find


def _is_text(tree: Tree, path: str) -> bool:
    facts = tree.snapshot.facts(path)
    return facts is None or not any(problem.kind in _NOT_TEXT for problem in facts.problems)
