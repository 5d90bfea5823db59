"""Fix or suppress what ``synapse check`` finds, in files or in the text on standard input."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from synapse_ls.cli import check_formats, check_report, file_changes
from synapse_ls.cli.check_scope import create_scope, read_stdin, reads_stdin, scopes_of, split_path
from synapse_ls.cli.console import Console, Progress
from synapse_ls.cli.opened_trees import OpenedTree
from synapse_ls.lint.fixes import FixOutcome, is_rewritable, plan_fixes
from synapse_ls.lint.suppressions import suppression_edit
from synapse_ls.storage.edit_application import apply_plan
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.rule_tree import Tree


def fix_or_show(
    options: Namespace,
    progress: Progress,
    console: Console,
    report: Callable[[Sequence[check_report.CheckedTree], Namespace, Console], int],
) -> int:
    """Fix or suppress what is found, or show how; then have what is left reported."""
    is_preview = options.diff or options.dry_run
    text = read_draft(options, progress) if reads_stdin(options) else None
    every = [text.opened] if text else [OpenedTree(scope, progress) for scope in scopes_of(options)]
    trees, count = [], 0
    for opened in every:
        mended = plan_check_fixes(opened, options, text.path if text else "")
        progress.end()
        count += mended.count
        if is_preview:
            file_changes.show_diff(mended.plan, console)
            continue
        if text:
            console.write(text.text_of(mended.tree))
            console.flush()  # the report is written to standard error, and comes after it
        else:
            apply_plan(Path(opened.scope.root), mended.plan)
        trees.append(opened.check_state(mended.tree))
        if options.add_suppressions:
            trees[-1].suppression_count = mended.count
        else:
            trees[-1].fix_count = mended.count
    if not (count or text):
        checked_trees = trees or [opened.check_state(opened.tree) for opened in every]
        # Say that nothing was to fix, and which fixes wait for a person's word.
        if not options.add_suppressions and options.format in check_formats.HUMAN_FORMATS:
            unsafe = [
                finding
                for tree in checked_trees
                for finding in tree.findings
                if finding.fix and not finding.fix.safe
            ]
            if unsafe and not options.unsafe_fixes:
                codes = ", ".join(dict.fromkeys(finding.code for finding in unsafe))
                console.note(
                    f"there is no safe fix; {codes} can be fixed with --unsafe-fixes, which may "
                    "change what is injected: look at it with --diff first"
                )
            elif options.diff or options.dry_run:
                console.note("there is nothing to fix")
    if is_preview:
        return int(count > 0 and not (options.exit_zero or options.dry_run))
    # With a text on standard output the report stands beside it.
    code = report(trees, options, console.beside_output() if text else console)
    return 1 if count and options.exit_non_zero_on_fix else code


def plan_check_fixes(opened: OpenedTree, options: Namespace, only_path: str = "") -> FixOutcome:
    """Return what ``--fix`` or ``--add-suppressions`` do to a tree, as far as the call is about it.

    ``only_path`` is the one file that may change, where it is not all of them.
    """
    tree = opened.tree

    def is_fixable(finding: Finding) -> bool:
        paths = {path for path, _ in finding.fix.edits} if finding.fix else set[str]()
        return (
            opened.scope.wants(finding)
            and paths <= ({only_path} if only_path else paths)
            and all(is_rewritable(tree, path) for path in paths)
        )

    if options.add_suppressions:
        return plan_fixes(tree, partial(_find_suppressions, opened), accepts=is_fixable)
    return plan_fixes(
        tree, opened.find_new_findings, unsafe=options.unsafe_fixes, accepts=is_fixable
    )


def _find_suppressions(opened: OpenedTree, tree: Tree) -> Iterator[Finding]:
    """Yield for each line with findings the first of them, with the comment that suppresses what is
    found there in place of its fix.
    """
    lines: dict[tuple[str, int], list[Finding]] = {}
    for finding in opened.find_new_findings(tree):
        facts = tree.snapshot.facts(finding.path)
        if facts and facts.is_read and opened.scope.wants(finding):
            line = facts.lines.line_of(finding.span.start)
            lines.setdefault((finding.path, line), []).append(finding)
    for (path, _), group in lines.items():
        facts = tree.snapshot.facts(path)
        codes = sorted({finding.code for finding in group})
        if facts and (edit := suppression_edit(facts, group[0].span, codes)):
            yield group[0]._replace(fix=Fix("Silence", True, ((path, edit),)))


class Draft(NamedTuple):
    """The text on standard input (stdin) that stands in for the file at ``path``, in its tree."""

    opened: OpenedTree
    path: str
    byte_order_mark: str

    def text_of(self, tree: Tree) -> str:
        """Return the text as it is in a later state of the tree, for standard output."""
        facts = tree.snapshot.facts(self.path)
        return self.byte_order_mark + (facts.text if facts else "")


def read_draft(options: Namespace, progress: Progress) -> Draft:
    """Return the text on standard input in its tree."""
    root, path = split_path(options.stdin_filename, options)
    opened = OpenedTree(create_scope(root, [path], options), progress)
    snapshot = opened.tree.snapshot
    if (kind := classify_path(path, snapshot.config.paths)) is None or kind is FileKind.SESSION:
        raise UserError(
            f"{options.stdin_filename} is no file of a tree.",
            "Name one that `synapse check` looks at, such as .synapse/manifest.",
        )
    mark, read = read_stdin("a fix" if options.fix else "")
    saved_facts = snapshot.facts(path)
    mtime_ns = saved_facts.mtime_ns if saved_facts else 0
    facts = analyze_file(path, kind, read.text, problems=read.problems, mtime_ns=mtime_ns)
    opened.tree = Tree(snapshot.replace_file(facts.path, facts)[0])
    return Draft(opened, path, mark)
