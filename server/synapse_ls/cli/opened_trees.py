"""Open the trees of ``synapse check``, check them once or whenever they change, and list what they
have.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from synapse_ls.cli import check_baseline, rule
from synapse_ls.cli.check_report import STYLES, CheckedTree
from synapse_ls.cli.check_scope import CheckScope, Findings, is_within, scopes_of
from synapse_ls.cli.console import Console, Part, Progress, Styled
from synapse_ls.formats.toml_document import toml_value
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.lint.rule_selection import unknown_selectors
from synapse_ls.queries.policy_report import setting_reports
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import file_reader, instruction_imports, tree_folders
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree

if TYPE_CHECKING:
    from synapse_ls.workspace.file_watching import WatchedFolder  # it imports asyncio


class OpenedTree:
    """A tree that was read from disk to be checked."""

    def __init__(self, scope: CheckScope, progress: Progress) -> None:
        for code in unknown_selectors((*scope.select, *scope.ignore)):
            raise rule.unknown_rule(code)
        self.scope = scope
        self._checking = progress.counter("checked")
        self.loaded: LoadedTree = load_tree(
            scope.root, LoadScope.ALL, progress=progress.counter("read squads")
        )
        self.foreign_paths = tuple(filter(self._read_instructions, scope.instruction_paths))
        self.tree: Tree = self.loaded.tree

    def _read_instructions(self, path: str) -> bool:
        """Read a file of instructions that is no part of the tree; return whether it is one."""
        index = self.loaded.index
        tree_facts = index.snapshot().facts(path)
        if tree_facts is not None and (
            tree_facts.kind is not FileKind.SYNCED or tree_facts.document is not None
        ):
            return False
        try:
            content = file_reader.read_inside(self.scope.root, path)
        except file_reader.RefusedError as refused:
            remedy = refused.remedy or "Name a file of text."
            raise UserError(f"{path}: {refused.sentence}", remedy) from refused
        if content is None:
            return False
        read = content.decoded
        facts = analyze_file(path, FileKind.INSTRUCTIONS, read.text, problems=read.problems)
        index.put_facts(instruction_imports.with_dead_imports(self.scope.root, facts))
        return True

    def find_findings(self, tree: Tree) -> Findings:
        """Return all findings in the tree, or in a later state of it."""
        return lint_tree(
            tree,
            notes=self.loaded.notes,
            policy=self.scope.policy(tree.snapshot.config.lint),
            progress=self._checking,
        )

    def find_new_findings(self, tree: Tree) -> Findings:
        """Return the findings in a state of the tree that no baseline lists."""
        findings, baseline = self.find_findings(tree), self.scope.baseline
        if baseline is None:
            return findings
        return check_baseline.split_findings(baseline, findings, text_getter(tree))[0]

    def check_state(self, tree: Tree) -> CheckedTree:
        """Return what is to be shown of a state of the tree."""
        return filter_tree(self.scope, tree, self.find_findings(tree))


def filter_tree(scope: CheckScope, tree: Tree, findings: Findings) -> CheckedTree:
    """Return what is to be shown of the findings in a tree by the scope of a check."""
    return scope.report_tree(text_getter(tree), len(scope.linted_paths(tree.snapshot)), findings)


def text_getter(tree: Tree) -> Callable[[str], str]:
    """Return a function that gives the text of a file of the tree in the scope of a check, "" for
    none.
    """
    return lambda path: facts.text if (facts := tree.snapshot.facts(path)) else ""


def check_anew(
    scope: CheckScope,
    progress: Progress,
    store: Callable[[LoadedTree, Findings, int], None] | None = None,
) -> CheckedTree:
    """Check the tree of a scope, and return what is to be shown of it. ``store`` is called with the
    tree, all that was found, and in how many files.
    """
    if scope.since:
        return _check_changes(scope, progress)
    opened = OpenedTree(scope, progress)
    findings = opened.find_findings(opened.tree)
    checked = filter_tree(scope, opened.tree, findings)
    checked.foreign_paths = opened.foreign_paths
    if store:
        store(opened.loaded, findings, checked.files)
    return checked


def _check_changes(scope: CheckScope, progress: Progress) -> CheckedTree:
    """Return what is to be shown of what changed in a tree since the revision of a scope."""
    # It imports what starts git.
    from synapse_ls.queries.findings_since_revision import RevisionChanges, find_caused

    changes = RevisionChanges(scope.root, scope.since)
    opened = OpenedTree(scope, progress)
    tree = opened.tree
    caused = find_caused(changes, opened.loaded, tree, scope.policy)
    looked = caused.reached.intersection(scope.linted_paths(tree.snapshot))
    checked = scope.report_tree(text_getter(tree), len(looked), caused.findings)
    checked.foreign_paths = opened.foreign_paths
    checked.stale = {}  # what was not looked for
    gone = [path for path in caused.gone if is_within(path, scope.within)]
    checked.change = (len(looked & caused.changed) + len(gone), len(looked - caused.changed))
    return checked


_SESSIONS_PART = f"/{tree_folders.SESSIONS}/"  # written with every prompt, and never linted


def watch_trees(
    scopes: Sequence[CheckScope],
    progress: Progress,
    report: Callable[[Sequence[CheckedTree]], bool],
) -> None:
    """Watch trees for ``synapse check --watch``: calls ``report`` with what is to be shown, now and
    whenever it changes, until it returns that nobody reads any more, or until interrupted.
    """
    from synapse_ls.cli.watch_loop import follow_changes, watched_folders  # it imports asyncio

    opened: list[OpenedTree] = []
    reported: list[tuple[Findings, int]] = []

    def check_again() -> bool:
        opened[:] = [OpenedTree(scope, progress) for scope in scopes]
        trees = [tree.check_state(tree.tree) for tree in opened]
        progress.end()
        if (now := [(tree.findings, tree.hidden_count) for tree in trees]) == reported:
            return True
        reported[:] = now
        return report(trees)

    def folders() -> frozenset[WatchedFolder]:
        return frozenset().union(*(watched_folders(o.scope.root, o.tree) for o in opened))

    follow_changes(folders, check_again, concerns=lambda path: _SESSIONS_PART not in path)


def write_listing(options: Namespace, progress: Progress, console: Console) -> int:
    """Write the listing of the files or the settings of each tree, as the options ask; return 0."""
    every = [OpenedTree(scope, progress) for scope in scopes_of(options)]
    progress.end()
    for number, opened in enumerate(every):
        if options.show_files:
            tree = CheckedTree(opened.scope.root, lambda _path: "", 0, ())
            for path in opened.scope.linted_paths(opened.tree.snapshot):
                console.line(tree.display_path(path))
        else:
            if number:
                console.line()
            # Write the configuration as it was read, and what comes of it and of the options: rule
            # by rule.
            config = opened.tree.snapshot.config
            lint = config.lint
            console.line(Styled(opened.scope.root, "title"))
            for setting in setting_reports(config):
                if setting.name.startswith("lint."):
                    source = Styled(f"  # {setting.source}" if setting.source else "", "dim")
                    console.line(f"{setting.name} = {toml_value(setting.value)}", source)
            console.line()
            policy = opened.scope.policy(lint)
            rows: list[list[Part]] = []
            for rule in all_rules():
                severity = policy.severity(rule) or rule.severity
                runs = Styled(severity.value, STYLES[severity])
                if not policy.runs(rule):
                    runs = Styled("does not run", "dim")
                rows.append([rule.code, Styled(rule.name, "name"), runs])
            console.table(rows, ("code", "name", "severity"))
    return 0
