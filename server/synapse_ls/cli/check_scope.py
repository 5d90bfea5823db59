"""What a call of ``synapse check`` is about: trees, files, rules and settings; open and check such
trees, once or whenever they change.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.check_baseline import Baseline, KnownFinding, read_baseline
from synapse_ls.cli.check_report import STYLES, CheckedTree, Report, is_outside, summary_line
from synapse_ls.cli.console import Console, Part, Progress, Styled
from synapse_ls.cli.rule import unknown_rule
from synapse_ls.cli.shared_options import root_of
from synapse_ls.formats.config_settings import LintSettings
from synapse_ls.formats.toml_document import dotted_key
from synapse_ls.lint.incremental_findings import IncrementalFindings
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.lint.rule_selection import Policy, matches_selector, unknown_selectors
from synapse_ls.queries.findings_cache import FindingsCache, read_paths
from synapse_ls.queries.policy_report import setting_reports
from synapse_ls.queries.revision_changes import RevisionChanges, find_caused
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.fact_extraction import changed_paths
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.file_watching import WatchedFolder
from synapse_ls.workspace.instruction_files import (
    instruction_paths,
    is_instruction_path,
    project_of_instructions,
    with_dead_imports,
)
from synapse_ls.workspace.repository_place import find_top_folder
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_discovery import locate_tree, search_tree
from synapse_ls.workspace.tree_folders import CONFIG, SESSIONS
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, refresh_tree
from synapse_ls.workspace.trusted_places import LEADS_OUT, find_outside_link

if TYPE_CHECKING:
    Findings = tuple[Finding, ...]

STDIN = "-"
# The path, relative to a root, of everything in it.
WHOLE_TREE = ""


def reads_stdin(options: Namespace) -> bool:
    """Return whether the scope of a check is the text of a file on standard input; raise UserError
    where only half of it is said.
    """
    if STDIN in options.paths and not options.stdin_filename:
        raise UserError(
            "What the text on standard input is, depends on its place in the tree.",
            "Name it: --stdin-filename .synapse/manifest.",
        )
    if options.stdin_filename and options.paths not in ([], [STDIN]):
        raise UserError(
            "With --stdin-filename there can be no other file.", f"Write {STDIN} in its place."
        )
    return bool(options.stdin_filename)


def paths_by_root(options: Namespace) -> dict[str, list[str]]:
    """Return the scope of a check as root of each tree -> the paths in it that are asked about,
    relative to it.
    """
    if not options.paths:
        # What is checked where no path is named: the whole tree.
        if not hasattr(options, "root") and search_tree(str(Path.cwd())).root is None:
            folder = find_top_folder(str(Path.cwd())) or str(Path.cwd())
            places = list(instruction_paths(folder))
            if load_tree(folder, LoadScope.ALL).index.snapshot().paths():
                places.append(WHOLE_TREE)  # squads, stories, agents that no tree uses yet
            if places:
                return {folder: places}
        return {root_of(options): [WHOLE_TREE]}
    paths: dict[str, list[str]] = {}
    for path in options.paths:
        if not Path(path).exists():
            raise _missing_path(path)
        root, relative = split_path(path, options)
        paths.setdefault(root, []).append(relative)
    return paths


def _missing_path(given: str) -> UserError:
    """Return the error about a path that is not there; findings are shown as
    ``PATH:LINE:COLUMN``.
    """
    path = given.rstrip("0123456789:")
    remedy = "Name one that there is."
    if path != given and given[len(path)] == ":" and Path(path).exists():
        remedy = f"Leave the line out: {path}"
    return UserError(f"There is no file or folder {given}.", remedy)


def split_path(name: str, options: Namespace) -> tuple[str, str]:
    """Split a path that ``synapse check`` is asked about into the root of its tree, and the path
    relative to it.
    """
    path = Path(name).absolute()
    if hasattr(options, "root"):
        root = root_of(options)
    elif is_instruction_path(path.as_posix()) and search_tree(str(path)).root is None:
        root = project_of_instructions(path)
    else:
        root = locate_tree(str(path))
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    if is_outside(relative):
        raise UserError(f"{name} is not in the tree of {root}.", "Leave --root out.")
    return root, WHOLE_TREE if relative == os.curdir else relative


def is_within(path: str, within: Iterable[str]) -> bool:
    """Return whether a path of a tree is in the scope of a check: one of those asked about, or
    below one.
    """
    return any(not place or path == place or path.startswith(f"{place}/") for place in within)


def split_codes(values: Iterable[str]) -> list[str]:
    """Split an option of ``synapse check`` into its rule codes, in order."""
    return [code.strip() for text in values for code in text.split(",") if code.strip()]


class CheckScope(NamedTuple):
    """What ``synapse check`` is asked of one tree.

    root: its folder. within: the paths that the findings are to be in. select, ignore: the codes
    of the call. exclude: its patterns of files. severity: the mildest that is to be shown.
    baseline: what is known of this tree, None where no file was given. heeds_comments: whether
    comments suppress findings. since: the revision whose changes are asked about, "" for none.
    """

    root: str
    within: tuple[str, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    exclude: tuple[str, ...]
    severity: Severity
    baseline: Baseline | None = None
    heeds_comments: bool = True
    since: str = ""

    @property
    def instruction_paths(self) -> tuple[str, ...]:
        """The files of instructions that are asked about by name."""
        return tuple(path for path in self.within if is_instruction_path(path))

    def wants(self, found: Finding) -> bool:
        """Return whether a finding is to be shown, and perhaps fixed."""
        return found.severity.rank <= self.severity.rank and is_within(found.path, self.within)

    def policy(self, lint: LintSettings) -> Policy:
        """Return which rules run where, on top of a configuration."""

        return Policy(
            lint,
            self.select or None,
            self.ignore,
            exclude=self.exclude,
            named_paths=self.within,
            heeds_comments=self.heeds_comments,
        )

    def linted_paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Return the files that the findings can be in, sorted."""
        policy = self.policy(snapshot.config.lint)
        read = read_paths(snapshot)
        return tuple(path for path in read if policy.lints(path) and is_within(path, self.within))

    def filter_known(self, findings: Findings, text_of: Callable[[str], str]) -> Findings:
        """Return the findings that no baseline lists; ``text_of`` gives the text of a file."""
        return self.baseline.split_findings(findings, text_of)[0] if self.baseline else findings

    def report_tree(
        self, text_of: Callable[[str], str], files: int, findings: Findings
    ) -> CheckedTree:
        """Return what is to be shown of all findings in so many files."""
        wanted = sum(map(self.wants, findings))
        left: Counter[KnownFinding] | None = None
        if self.baseline:
            findings, left = self.baseline.split_findings(findings, text_of)
        reported = tuple(filter(self.wants, findings))
        tree = CheckedTree(self.root, text_of, files, reported, hidden_count=wanted - len(reported))
        if left:
            # Rules leave a file alone that cannot be read, or in which a merge has left marks.
            broken = {finding.path for finding in findings if finding.severity is Severity.ERROR}
            tree.stale = self._filter_stale(left, broken)
        return tree

    def _filter_stale(
        self, left: Counter[KnownFinding], broken: Collection[str]
    ) -> dict[KnownFinding, int]:
        """Return what of a baseline would have been found if it were there: nothing in the call
        keeps it from that, and its file is none of those that are ``broken``.
        """

        policy = self.policy(LintSettings())
        rules = {rule.code: rule for rule in all_rules()}

        def is_looked_for(path: str, code: str) -> bool:
            if path in broken or not is_within(path, self.within) or not policy.lints(path):
                return False
            if is_instruction_path(path) and path not in self.within:
                return False
            if code not in rules:
                return not self.select
            if self.select and not matches_selector(self.select, rules[code]):
                return False
            return not matches_selector(self.ignore, rules[code])

        return {
            entry: left[entry] for entry in sorted(left) if is_looked_for(entry.path, entry.code)
        }


def scopes_of(options: Namespace) -> list[CheckScope]:
    """Return the scope of a check in each tree, as the options ask."""
    return [create_scope(root, within, options) for root, within in paths_by_root(options).items()]


def create_scope(root: str, within: list[str], options: Namespace) -> CheckScope:
    """Return the scope of a check in one tree, as the options ask."""
    select, ignore = split_codes(options.select), split_codes(options.ignore)
    if options.select and not select:
        raise UserError(
            "--select names no rule.",
            "Name codes, as in `--select SYN2`, or leave the option out: then the usual rules run.",
        )
    severity = Severity(options.severity)
    exclude = split_codes(options.exclude)
    return CheckScope(
        root,
        tuple(within),
        tuple(select),
        tuple(ignore),
        tuple(exclude),
        severity,
        read_baseline(options.baseline, root) if options.baseline else None,
        not options.ignore_suppressions,
        options.since or "",
    )


class OpenedTree:
    """A tree that was read from disk to be checked."""

    def __init__(self, scope: CheckScope, progress: Progress) -> None:

        # Raise UserError for a code in the scope of a check that means no rule.
        codes = (*scope.select, *scope.ignore)

        for code in unknown_selectors(codes):
            raise unknown_rule(code)
        self.scope = scope
        self._checking = progress.counter("checked")
        self.loaded: LoadedTree = load_tree(
            scope.root, LoadScope.ALL, progress=progress.counter("read squads")
        )
        self.foreign_paths = tuple(filter(self._read_instructions, scope.instruction_paths))
        self.tree: Tree = Tree(self.loaded.index.snapshot())

    def _read_instructions(self, path: str) -> bool:
        """Read a file of instructions that is no part of the tree; return whether it is one."""

        index = self.loaded.index
        tree_facts = index.snapshot().facts(path)
        if tree_facts is not None and (
            tree_facts.kind is not FileKind.SYNCED or tree_facts.document is not None
        ):
            return False
        if outside := find_outside_link(self.scope.root, path):
            raise UserError(f"{path}: It is not read: {LEADS_OUT}.", f"Name {outside[1]} itself.")
        try:
            content = read_file(str(Path(self.scope.root, path)))
        except RefusedError as refused:
            raise UserError(f"{path}: {refused.sentence}", "Name a file of text.") from refused
        if content is None:
            return False
        read = content.decoded
        facts = analyze_file(path, FileKind.INSTRUCTIONS, read.text, problems=read.problems)
        index.put_facts(with_dead_imports(self.scope.root, facts))
        return True

    def find_findings(self, tree: Tree) -> Findings:
        """Return all findings in the tree, or in a later state of it."""

        return lint_tree(
            tree,
            notes=self.loaded.notes,
            select=self.scope.select or None,
            ignore=self.scope.ignore,
            exclude=self.scope.exclude,
            named_paths=self.scope.within,
            heeds_comments=self.scope.heeds_comments,
            progress=self._checking,
        )

    def find_new_findings(self, tree: Tree) -> Findings:
        """Return the findings in a state of the tree that no baseline lists."""
        return self.scope.filter_known(self.find_findings(tree), text_getter(tree))

    def check_state(
        self, tree: Tree, change_count: int = 0, *, is_suppressed: bool = False
    ) -> CheckedTree:
        """Return what is to be shown of a state of the tree, with so many findings fixed or
        suppressed.
        """
        checked = filter_tree(self.scope, tree, self.find_findings(tree))
        checked.fix_count, checked.suppression_count = (
            (0, change_count) if is_suppressed else (change_count, 0)
        )
        return checked


def filter_tree(scope: CheckScope, tree: Tree, findings: Findings) -> CheckedTree:
    """Return what is to be shown of the findings in a tree by the scope of a check."""
    files = len(scope.linted_paths(tree.snapshot))
    return scope.report_tree(text_getter(tree), files, findings)


def text_getter(tree: Tree) -> Callable[[str], str]:
    """Return a function that gives the text of a file of the tree in the scope of a check, "" for
    none.
    """

    def text(path: str) -> str:
        facts = tree.snapshot.facts(path)
        return facts.text if facts else ""

    return text


def check_tree(scope: CheckScope, progress: Progress, *, cache: bool) -> CheckedTree:
    """Check the tree of a scope, and return what is to be shown of it; with ``cache`` as it was
    found before, if nothing changed.
    """
    if scope.since:
        # What is to be shown of what changed in a tree.
        changes = RevisionChanges(scope.root, scope.since)
        opened = OpenedTree(scope, progress)
        tree = opened.tree
        caused = find_caused(changes, opened.loaded, tree, scope.policy)
        looked = caused.reached.intersection(scope.linted_paths(tree.snapshot))
        checked = scope.report_tree(text_getter(tree), len(looked), caused.findings)
        checked.foreign_paths = opened.foreign_paths
        checked.stale = {}  # what was not looked for
        gone = [path for path in caused.gone if is_within(path, scope.within)]
        checked.change = (
            len(looked & caused.changed) + len(gone),
            len(looked - caused.changed),
        )
        return checked
    if not cache or scope.instruction_paths:  # whose stamps nobody keeps
        opened = OpenedTree(scope, progress)
        checked = opened.check_state(opened.tree)
        checked.foreign_paths = opened.foreign_paths
        return checked
    cache_file = FindingsCache(scope.root)
    question = repr((scope.select, scope.ignore, scope.exclude, scope.within))
    if not scope.heeds_comments:
        question += " with what comments suppress"
    if answer := cache_file.findings(question):
        findings, files = answer
        return scope.report_tree(cache_file.text, files, findings)
    opened = OpenedTree(scope, progress)
    findings = opened.find_findings(opened.tree)
    files = len(scope.linted_paths(opened.tree.snapshot))
    cache_file.store(question, opened.loaded, findings, files)
    return filter_tree(scope, opened.tree, findings)


_REFRESHED_PATHS = (CONFIG, "")
_SESSIONS_PART = f"/{SESSIONS}/"  # written with every prompt, and never linted


class WatchedTree:
    """A tree that ``synapse check`` watches, with its findings, kept up to date."""

    def __init__(self, scope: CheckScope, progress: Progress) -> None:
        opened = OpenedTree(scope, progress)
        self._scope = scope
        self._loaded = opened.loaded
        self._tree = opened.tree
        self._results = IncrementalFindings(opened.tree, opened.loaded.notes, scope.policy)

    def refresh_findings(self) -> bool:
        """Look at the disk; return whether there is now something else to be shown."""
        keys = refresh_tree(self._loaded, _REFRESHED_PATHS)
        before = self.current_report()
        snapshot = self._loaded.index.snapshot()
        config = snapshot.config is not self._tree.snapshot.config
        self._tree = Tree(snapshot) if config else Tree(snapshot, self._tree, changed_paths(keys))
        self._results.update(self._tree, keys, self._loaded.notes)
        now = self.current_report()
        return (now.findings, now.hidden_count) != (before.findings, before.hidden_count)

    def current_report(self) -> CheckedTree:
        """Return what is to be shown."""
        by_path = self._results.by_path
        findings = tuple(d for path in sorted(by_path) for d in by_path[path])
        return filter_tree(self._scope, self._tree, findings)

    def folders(self) -> frozenset[WatchedFolder]:
        """Return the folders in which something can happen that concerns the tree."""
        from synapse_ls.cli.watch_loop import watched_folders

        return watched_folders(self._loaded.root, self._tree)


def watch_trees(
    scopes: Sequence[CheckScope],
    progress: Progress,
    report: Callable[[Sequence[CheckedTree]], bool],
) -> None:
    """Watch trees for ``synapse check --watch``: calls ``report`` with what is to be shown, now and
    whenever it changes, until it returns that nobody reads any more, or until interrupted.
    """
    from synapse_ls.cli.watch_loop import follow_changes  # it imports asyncio

    trees = [WatchedTree(scope, progress) for scope in scopes]
    progress.end()
    has_reported = False

    def report_changes() -> bool:
        nonlocal has_reported
        is_read = True
        changed = [tree.refresh_findings() for tree in trees] if has_reported else [True]
        if any(changed):
            is_read = report([tree.current_report() for tree in trees])
        has_reported = True
        return is_read

    def folders() -> frozenset[WatchedFolder]:
        return frozenset().union(*(tree.folders() for tree in trees))

    follow_changes(folders, report_changes, concerns=lambda path: _SESSIONS_PART not in path)


_SETTING_PREFIX = "lint."


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
                if setting.name.startswith(_SETTING_PREFIX):
                    source = Styled(f"  # {setting.source}" if setting.source else "", "dim")
                    console.line(f"{setting.name} = {toml_value(setting.value)}", source)
            console.line()
            policy = opened.scope.policy(lint)
            rows: list[list[Part]] = []
            for rule in all_rules():
                severity = policy.severity(rule) or rule.severity
                runs = policy.runs(rule)
                severity_part = (
                    Styled(severity.value, STYLES[severity])
                    if runs
                    else Styled("does not run", "dim")
                )
                rows.append([rule.code, Styled(rule.name, "name"), severity_part])
            console.table(rows, ("code", "name", "severity"))
    return 0


def toml_value(value: object) -> str:
    """Return a setting as TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{dotted_key([k])} = {toml_value(v)}' for k, v in value.items())}}}"
    return dumps(value)  # a text or a truth is written as in JSON


def write_statistics(report: Report, form: str, console: Console) -> None:
    """Write the listing of how many findings each rule has (``--statistics``), the most frequent
    first.
    """
    findings = [diagnostic for _, diagnostic in report.findings()]
    counts = Counter((d.code, d.name) for d in findings)
    safe = Counter((d.code, d.name) for d in findings if d.fix and d.fix.safe)
    unsafe = Counter((d.code, d.name) for d in findings if d.fix and not d.fix.safe)
    rules = sorted(counts, key=lambda rule: (-counts[rule], rule))
    if form == "json":
        console.json(
            [
                {
                    "code": code,
                    "name": name,
                    "count": counts[code, name],
                    "safe_fixes": safe[code, name],
                    "unsafe_fixes": unsafe[code, name],
                }
                for code, name in rules
            ]
        )
        return
    rows: list[list[Part]] = [
        [
            str(counts[rule]),
            rule[0],
            Styled(rule[1], "name"),
            str(safe[rule] or ""),
            str(unsafe[rule] or ""),
        ]
        for rule in rules
    ]
    if counts:
        console.table(rows, ("findings", "code", "name", "fixable", "unsafe"))
    console.line(*summary_line(report))
