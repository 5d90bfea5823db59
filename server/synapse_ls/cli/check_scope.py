"""The scope of a call of ``synapse check``: trees, files, rules and settings.

The linter is imported late: a cached result is printed without it.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli import check_baseline
from synapse_ls.cli.check_report import CheckedTree, is_outside
from synapse_ls.cli.shared_options import STANDARD_INPUT, root_of
from synapse_ls.queries.findings_cache import read_paths
from synapse_ls.text.decoding import DecodedText, decode_text
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import instruction_readers, repository_discovery, tree_folders
from synapse_ls.workspace.tree_search_upward import locate_tree, search_tree

if TYPE_CHECKING:
    from synapse_ls.formats.config_settings import LintSettings
    from synapse_ls.lint.rule_selection import Policy
    from synapse_ls.workspace.snapshot import Snapshot

Findings = tuple[Finding, ...]

# The path, relative to a root, of everything in it.
WHOLE_TREE = ""


def reads_stdin(options: Namespace) -> bool:
    """Return whether the scope of a check is the text of a file on standard input; raise UserError
    where only half of it is said.
    """
    if STANDARD_INPUT in options.paths and not options.stdin_filename:
        raise UserError(
            "What the text on standard input is, depends on its place in the tree.",
            "Name it: --stdin-filename .synapse/manifest.",
        )
    if options.stdin_filename and options.paths not in ([], [STANDARD_INPUT]):
        raise UserError(
            "With --stdin-filename there can be no other file.",
            f"Write {STANDARD_INPUT} in its place.",
        )
    return bool(options.stdin_filename)


def read_stdin(change: str) -> tuple[str, DecodedText]:
    """Read the text on standard input: return its byte order mark and the rest. change: what is
    about to be done to it, for which it has to be UTF-8 throughout; "" for nothing.
    """
    data = sys.stdin.buffer.read() if sys.stdin is not None else b""
    read = decode_text(data)
    mark = "\ufeff" if read.bom else ""
    if change and (mark + read.text).encode(errors="replace") != data:
        raise UserError(
            f"The text is not UTF-8 throughout, so {change} could damage the rest of it.",
            "Save it as UTF-8 first.",
        )
    return mark, read


def paths_by_root(options: Namespace) -> dict[str, list[str]]:
    """Return the scope of a check as root of each tree -> the paths in it that are asked about,
    relative to it.
    """
    if not options.paths:
        # What is checked where no path is named: the whole tree.
        if not hasattr(options, "root") and search_tree(str(Path.cwd())).root is None:
            from synapse_ls.workspace import file_kinds, tree_loader

            folder = repository_discovery.find_top_folder(str(Path.cwd())) or str(Path.cwd())
            places = list(instruction_readers.instruction_paths(folder))
            if tree_loader.load_tree(folder, file_kinds.LoadScope.ALL).index.snapshot().paths():
                places.append(WHOLE_TREE)  # squads, stories, agents that no tree uses yet
            if places:
                return {folder: places}
        return {root_of(options): [WHOLE_TREE]}
    paths: dict[str, list[str]] = {}
    for path in options.paths:
        if not Path(path).exists():
            remedy, bare = "Name one that there is.", path.rstrip("0123456789:")
            if path[len(bare) :].startswith(":") and Path(bare).exists():
                remedy = f"Leave the line out: {bare}"  # as in `PATH:LINE:COLUMN` of a finding
            raise UserError(f"There is no file or folder {path}.", remedy)
        root, relative = split_path(path, options)
        paths.setdefault(root, []).append(relative)
    return paths


def split_path(name: str, options: Namespace) -> tuple[str, str]:
    """Split a path that ``synapse check`` is asked about into the root of its tree, and the path
    relative to it.
    """
    path = Path(name).absolute()
    if hasattr(options, "root"):
        root = root_of(options)
    elif (
        instruction_readers.is_instruction_path(path.as_posix())
        and search_tree(str(path)).root is None
    ):
        root = instruction_readers.project_of_instructions(path)
    else:
        root = locate_tree(str(path))
    if is_outside(relative := os.path.relpath(path, root).replace(os.sep, "/")):
        raise UserError(f"{name} is not in the tree of {root}.", "Leave --root out.")
    return root, WHOLE_TREE if relative == os.curdir else relative


def is_within(path: str, within: Iterable[str]) -> bool:
    """Return whether a path of a tree is in the scope of a check: one of those asked about, or
    below one.
    """
    return any(tree_folders.is_under(path, place) for place in within)


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
    baseline: check_baseline.Baseline | None = None
    heeds_comments: bool = True
    since: str = ""

    @property
    def instruction_paths(self) -> tuple[str, ...]:
        """The files of instructions that are asked about by name."""
        return tuple(path for path in self.within if instruction_readers.is_instruction_path(path))

    def wants(self, finding: Finding) -> bool:
        """Return whether a finding is to be shown, and perhaps fixed."""
        return finding.severity.rank <= self.severity.rank and is_within(finding.path, self.within)

    def policy(self, lint: LintSettings) -> Policy:
        """Return which rules run where, on top of a configuration."""
        from synapse_ls.lint.rule_selection import Policy

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

    def report_tree(
        self, text_of: Callable[[str], str], files: int, findings: Findings
    ) -> CheckedTree:
        """Return what is to be shown of all findings in so many files."""
        wanted = sum(map(self.wants, findings))
        unmatched = check_baseline.Baseline()
        if self.baseline is not None:
            findings, unmatched = check_baseline.split_findings(self.baseline, findings, text_of)
        reported = tuple(filter(self.wants, findings))
        tree = CheckedTree(self.root, text_of, files, reported, hidden_count=wanted - len(reported))
        if unmatched:
            # Rules leave a file alone that cannot be read, or in which a merge has left marks.
            broken = {finding.path for finding in findings if finding.severity is Severity.ERROR}
            tree.stale = self._filter_stale(unmatched, broken)
        return tree

    def _filter_stale(
        self, unmatched: check_baseline.Baseline, broken: Collection[str]
    ) -> dict[check_baseline.KnownFinding, int]:
        """Return what of a baseline would have been found if it were there: nothing in the call
        keeps it from that, and its file is none of those that are ``broken``.
        """
        from synapse_ls.formats.config_settings import LintSettings
        from synapse_ls.lint import rule_registry, rule_selection

        policy = self.policy(LintSettings())
        rules = {rule.code: rule for rule in rule_registry.all_rules()}

        def is_looked_for(path: str, code: str) -> bool:
            if path in broken or not is_within(path, self.within) or not policy.lints(path):
                return False
            if instruction_readers.is_instruction_path(path) and path not in self.within:
                return False
            if code not in rules:
                return not self.select
            if self.select and not rule_selection.matches_selector(self.select, rules[code]):
                return False
            return not rule_selection.matches_selector(self.ignore, rules[code])

        return {
            entry: unmatched[entry]
            for entry in sorted(unmatched)
            if is_looked_for(entry.path, entry.code)
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
    return CheckScope(
        root,
        tuple(within),
        tuple(select),
        tuple(ignore),
        tuple(split_codes(options.exclude)),
        Severity(options.severity),
        check_baseline.read_baseline(options.baseline, root) if options.baseline else None,
        not options.ignore_suppressions,
        options.since or "",
    )
