"""This module defines a code action, the change that an editor offers at a place, and the request
for such actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from synapse_ls.ide.tree_view import View
from synapse_ls.lint.answer_caches import weak_cache
from synapse_ls.lint.diagnostic import Diagnostic, Fix
from synapse_ls.lint.lint_runner import lint_file, lint_tree
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits
from synapse_ls.workspace.edit_plan import EditPlan, FileEdit, create_file, edit_file
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot

QUICK_FIX, REWRITE, FIX_ALL = "quickfix", "refactor.rewrite", "source.fixAll.synapse"
KINDS = (QUICK_FIX, REWRITE, FIX_ALL)
"""The kinds of actions (LSP 3.18, "CodeActionKind")."""

FindingKey = tuple[str, int, int]
"""A finding as somebody else knows it: code, start and end."""


@dataclass(frozen=True, slots=True)
class Action:
    """An Action is one change that an editor offers (LSP "CodeAction").

    ``plan`` computes the edits. ``solves`` are the findings that the change removes.
    ``is_preferred`` marks the action that is applied when somebody just wants the finding fixed.
    ``operations`` are what it does to whole files, "create" or "rename". ``command`` is a command
    of the server that runs with ``arguments`` and does what no edit could do; then there is nothing
    to plan.
    """

    title: str
    kind: str
    plan: Callable[[], EditPlan]
    solves: tuple[Diagnostic, ...] = ()
    is_preferred: bool = False
    operations: frozenset[str] = frozenset()
    command: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """An ActionRequest says where and for what an editor asks for code actions.

    ``kinds`` are the kinds of actions that are wanted; none means all. ``named_findings`` are
    findings, by code and place, that are meant besides those that touch ``span``. ``is_shown``:
    whether the editor shows a finding; no other is fixed.
    """

    view: View
    facts: FileFacts
    span: Span
    kinds: tuple[str, ...] = ()
    named_findings: frozenset[FindingKey] = frozenset()
    is_shown: Callable[[Diagnostic], bool] = lambda _: True

    def wants(self, kind: str) -> bool:
        """Returns whether actions of a kind are wanted; a kind stands for all kinds that begin with
        it.
        """
        return not self.kinds or any(
            kind == other or kind.startswith(f"{other}.") or not other for other in self.kinds
        )

    @property
    def tree(self) -> Tree:
        """Returns the tree of the view."""
        return self.view.tree

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Returns the findings that the request is about."""
        start, end = self.span
        return tuple(
            one
            for one in filter(self.is_shown, file_findings(self.tree, self.facts.path))
            if (one.span.start <= end and start <= one.span.end)
            or (one.code, *one.span) in self.named_findings
        )


@weak_cache
def _findings_by_path(tree: Tree) -> dict[str, tuple[Diagnostic, ...]]:
    """Returns the cache of findings by path; it lives as long as the tree."""
    del tree
    return {}


def file_findings(tree: Tree, path: str) -> tuple[Diagnostic, ...]:
    """Returns the lint findings of a file that code actions are offered for, the same as `synapse
    check` reports.
    """
    known = _findings_by_path(tree)
    if path not in known:
        known[path] = lint_file(tree, path, Policy(tree.snapshot.config.lint))
    return known[path]


def tree_findings(tree: Tree) -> tuple[Diagnostic, ...]:
    """Returns the lint findings of all files of the tree that code actions are offered for."""
    return lint_tree(tree)


def plan_fix(snapshot: Snapshot, fix: Fix) -> EditPlan:
    """Returns the edits of the fix that a code action makes as a plan; a file that does not exist
    is created.
    """
    by_path: dict[str, list[TextEdit]] = {}
    for path, change in fix.edits:
        by_path.setdefault(path, []).append(change)
    return EditPlan(tuple(_file_edit(snapshot, path, edits) for path, edits in by_path.items()))


def _file_edit(snapshot: Snapshot, path: str, edits: Iterable[TextEdit]) -> FileEdit:
    facts = snapshot.facts(path)
    return (
        edit_file(path, facts.text, edits) if facts else create_file(path, apply_edits("", edits))
    )
