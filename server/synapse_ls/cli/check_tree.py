"""Checking one tree, or giving what is known of it from the last time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.check_places import lies_in, places, selectors, verify
from synapse_ls.cli.formats.report import Checked
from synapse_ls.lint.diagnostic import Severity
from synapse_ls.service.findings import Kept, read_paths

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from synapse_ls.cli.progress import Progress
    from synapse_ls.formats.config import Lint
    from synapse_ls.lint.diagnostic import Diagnostic
    from synapse_ls.lint.policy import Policy
    from synapse_ls.workspace.loader import Loaded
    from synapse_ls.workspace.snapshot import Snapshot
    from synapse_ls.workspace.tree import Tree

    Findings = tuple[Diagnostic, ...]


class Asked(NamedTuple):
    """What is asked of one tree.

    root: its folder. within: the paths that the findings are to be in. select, ignore: the codes
    of the call. exclude: its patterns of files. severity: the mildest that is to be shown.
    """

    root: str
    within: tuple[str, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    exclude: tuple[str, ...]
    severity: Severity

    def wants(self, found: Diagnostic) -> bool:
        """Whether a finding is to be shown, and perhaps mended."""
        return found.severity.rank <= self.severity.rank and lies_in(found.path, self.within)

    def policy(self, lint: Lint) -> Policy:
        """Which rules run where, on top of a configuration."""
        from synapse_ls.lint.policy import Policy

        return Policy(
            lint, self.select or None, self.ignore, exclude=self.exclude, asked=self.within
        )

    def linted(self, snapshot: Snapshot) -> tuple[str, ...]:
        """The files that the findings can be in, sorted."""
        policy = self.policy(snapshot.config.lint)
        read = read_paths(snapshot)
        return tuple(path for path in read if policy.lints(path) and lies_in(path, self.within))

    def shown(self, found: Findings) -> Findings:
        """What is to be shown of all findings."""
        return tuple(diagnostic for diagnostic in found if self.wants(diagnostic))


def asked_of(options: Namespace) -> list[Asked]:
    """What the options ask, of each tree."""
    return [asked_in(root, within, options) for root, within in places(options).items()]


def asked_in(root: str, within: list[str], options: Namespace) -> Asked:
    """What the options ask of one tree."""
    select, ignore = selectors(options.select), selectors(options.ignore)
    severity = Severity(options.severity)
    exclude = selectors(options.exclude)
    return Asked(root, tuple(within), tuple(select), tuple(ignore), tuple(exclude), severity)


class Opened:
    """A tree that was read from disk."""

    def __init__(self, asked: Asked, progress: Progress) -> None:
        from synapse_ls.workspace.loader import Scope, load
        from synapse_ls.workspace.tree import Tree

        verify((*asked.select, *asked.ignore))
        self.asked = asked
        self._checking = progress.of("checked")
        self.loaded: Loaded = load(asked.root, Scope.ALL, progress=progress.of("read squads"))
        self.tree: Tree = Tree(self.loaded.index.snapshot())

    def find(self, tree: Tree) -> Findings:
        """All findings in the tree, or in a later state of it."""
        from synapse_ls.lint.run import check

        return check(
            tree,
            notes=self.loaded.notes,
            select=self.asked.select or None,
            ignore=self.asked.ignore,
            exclude=self.asked.exclude,
            asked=self.asked.within,
            progress=self._checking,
        )

    def checked(self, tree: Tree, mended: int = 0, *, silenced: bool = False) -> Checked:
        """What is to be shown of a state of the tree, with so many findings mended or silenced."""
        found = checked(self.asked, tree, self.find(tree))
        found.mended, found.silenced = (0, mended) if silenced else (mended, 0)
        return found


def checked(asked: Asked, tree: Tree, found: Findings) -> Checked:
    """What is to be shown of the findings in a tree."""
    files = len(asked.linted(tree.snapshot))
    return Checked(asked.root, text_in(tree), files, asked.shown(found))


def text_in(tree: Tree) -> Callable[[str], str]:
    """What gives the texts of a tree."""

    def text(path: str) -> str:
        facts = tree.snapshot.facts(path)
        return facts.text if facts else ""

    return text


def check_tree(asked: Asked, progress: Progress, *, cache: bool) -> Checked:
    """What is to be shown of a tree; with ``cache`` as it was found before, if nothing changed."""
    if not cache:
        opened = Opened(asked, progress)
        return opened.checked(opened.tree)
    kept = Kept(asked.root)
    question = repr((asked.select, asked.ignore, asked.exclude, asked.within))
    known = kept.findings(question)
    if known is not None:
        found, files = known
        return Checked(asked.root, kept.text, files, asked.shown(found))
    opened = Opened(asked, progress)
    found = opened.find(opened.tree)
    kept.keep(question, opened.loaded, found, len(asked.linted(opened.tree.snapshot)))
    return checked(asked, opened.tree, found)
