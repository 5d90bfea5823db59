"""A change that an editor offers, and what it can be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from synapse_ls.ide.view import View
from synapse_ls.lint.diagnostic import Diagnostic, Fix
from synapse_ls.lint.lookup import once
from synapse_ls.lint.policy import Policy
from synapse_ls.lint.run import check, check_file
from synapse_ls.manage.plan import FileEdit, Plan, create, edit
from synapse_ls.text.edit import TextEdit, apply_edits
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree import Tree

QUICK_FIX, REWRITE, FIX_ALL = "quickfix", "refactor.rewrite", "source.fixAll.synapse"
KINDS = (QUICK_FIX, REWRITE, FIX_ALL)
"""The kinds of actions (LSP 3.18, "CodeActionKind")."""

Named = tuple[str, int, int]
"""A finding as somebody else knows it: code, start and end."""


@dataclass(frozen=True, slots=True)
class Action:
    """One change.

    ``plan`` works it out. ``solves`` are the findings that it takes away; ``preferred`` is the one
    that is meant when somebody just wants it mended. ``operations`` are what it does to files as a
    whole, "create" or "rename". ``command``, of the server and with these arguments, does what no edit
    could; then there is nothing to plan.
    """

    title: str
    kind: str
    plan: Callable[[], Plan]
    solves: tuple[Diagnostic, ...] = ()
    preferred: bool = False
    operations: frozenset[str] = frozenset()
    command: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """Where and what somebody asks for; no ``only`` means everything.

    ``named`` are findings, by code and place, that are meant besides those that touch ``span``.
    """

    view: View
    facts: FileFacts
    span: Span
    only: tuple[str, ...] = ()
    named: frozenset[Named] = frozenset()

    def wants(self, kind: str) -> bool:
        """Whether actions of a kind are asked for; a kind stands for all that begin with it."""
        return not self.only or any(
            kind == other or kind.startswith(f"{other}.") or not other for other in self.only
        )

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.view.tree

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """The findings that are meant."""
        start, end = self.span
        return tuple(
            one
            for one in findings(self.tree, self.facts.path)
            if (one.span.start <= end and start <= one.span.end)
            or (one.code, *one.span) in self.named
        )


@once
def _known(tree: Tree) -> dict[str, tuple[Diagnostic, ...]]:
    """The findings that were asked for, by path, for as long as the tree lives."""
    del tree
    return {}


def findings(tree: Tree, path: str) -> tuple[Diagnostic, ...]:
    """What is to be said about a file; the same as the command line says."""
    known = _known(tree)
    if path not in known:
        known[path] = check_file(tree, path, Policy(tree.snapshot.config.lint))
    return known[path]


def every_finding(tree: Tree) -> tuple[Diagnostic, ...]:
    """What is to be said about all files."""
    return check(tree)


def plan_of(snapshot: Snapshot, fix: Fix) -> Plan:
    """The edits of one fix; a file that does not exist is created."""
    by_path: dict[str, list[TextEdit]] = {}
    for path, change in fix.edits:
        by_path.setdefault(path, []).append(change)
    return Plan(tuple(_changed(snapshot, path, edits) for path, edits in by_path.items()))


def _changed(snapshot: Snapshot, path: str, edits: Iterable[TextEdit]) -> FileEdit:
    facts = snapshot.facts(path)
    return edit(path, facts.text, edits) if facts else create(path, apply_edits("", edits))
