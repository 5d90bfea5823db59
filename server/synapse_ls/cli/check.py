"""``synapse check``: lint a tree and say what is malformed or dead in it."""

import io
import os
from argparse import Namespace
from collections.abc import Sequence
from functools import partial

from synapse_ls.cli import check_baseline, file_changes
from synapse_ls.cli.check_formats import ALIASES, BY_NAME, HUMAN_FORMATS, write_statistics
from synapse_ls.cli.check_report import CheckedTree, Report
from synapse_ls.cli.check_scope import CheckScope, reads_stdin, scopes_of
from synapse_ls.cli.command_table import (
    ChoiceType,
    command,
    option,
    option_group,
    repeated_option,
    switch,
)
from synapse_ls.cli.console import Console, Progress
from synapse_ls.queries.findings_cache import FindingsCache
from synapse_ls.text.finding import Severity
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import rule_systems, tree_search_upward

# The formats that have statistics.
STATISTICS_FORMATS = ("full", "concise", "json")


# How many places of a baseline are named that have no finding any more.
_STALE_SHOWN = 3


_FORMAT_NAMES = tuple(BY_NAME)


_BASELINE_OPTIONS = option_group(
    "Known findings",
    *(
        option(f"{name} FILE", text, default=None)
        for name, text in (
            ("--baseline", "hide the findings that this file lists, and leave them as they are"),
            ("--write-baseline", "list all that is found in this file, for --baseline"),
        )
    ),
    switch("--prune-baseline", "with --baseline: take out of the file what is not found any more"),
)


_FIX_OPTIONS = option_group(
    "Fixing",
    switch("--fix", "apply the fixes that keep the meaning of every rule, and report what is left"),
    switch("--unsafe-fixes", "with --fix or --diff: also fixes that may change what is injected"),
    switch(
        "--diff", "show what --fix would change, and change nothing; exits with 1 if there is any"
    ),
    switch("--dry-run", "with --fix: the same as --diff, but exits with 0"),
    switch("--add-suppressions", "write comments that silence all findings, for a fresh start"),
)


_OUTPUT_OPTIONS = option_group(
    "Output",
    option(
        "--severity LEVEL",
        "show what is at least an error, a warning, an info or a hint (the default)",
        choices=(severity.value for severity in Severity),
        default=Severity.HINT.value,
    ),
    option(
        "--format FORMAT",
        f"{_FORMAT_NAMES[0]} (the default, also called text), "
        f"{', '.join(_FORMAT_NAMES[1:-1])} or {_FORMAT_NAMES[-1]}",
        choices=ChoiceType(_FORMAT_NAMES, aliases=ALIASES),
        default=_FORMAT_NAMES[0],
    ),
    option("--output-file FILE", "write the report to a file"),
    switch("--statistics", "show how many findings each rule has, in place of the findings"),
    switch("--exit-zero", "exit with 0 even where there are findings"),
    switch("--exit-non-zero-on-fix", "exit with 1 if something was fixed, whatever is left"),
    switch("--no-cache", "check everything anew, also what has not changed since the last time"),
)


_STDIN = "standard input"
_CHANGES = ("--fix", "--diff", "--add-suppressions")
_BASELINE_WRITERS = ("--write-baseline", "--prune-baseline")
_SHOWN = ("--show-files", "--show-settings")
# An option -> those that it does not go together with.
_EXCLUDED: dict[str, tuple[str, ...]] = {
    "--watch": (*_CHANGES, _STDIN),
    "--show-files": (*_CHANGES, "--watch", _STDIN, "--show-settings", "--output-file"),
    "--show-settings": (*_CHANGES, "--watch", _STDIN, "--output-file"),
    "--add-suppressions": ("--fix", "--ignore-suppressions"),
    "--since": (*_CHANGES, *_BASELINE_WRITERS, "--watch", *_SHOWN, _STDIN),
    "--baseline": ("--write-baseline",),
    **dict.fromkeys(
        _BASELINE_WRITERS, ("--diff", "--dry-run", "--add-suppressions", "--watch", *_SHOWN, _STDIN)
    ),
}
# An option -> those of which it needs one.
_NEEDED: dict[str, tuple[str, ...]] = {
    "--dry-run": ("--fix",),
    "--unsafe-fixes": ("--fix", "--diff"),
    "--prune-baseline": ("--baseline",),
}


def _verify_options(options: Namespace) -> None:
    """Raise UserError for options that do not go together."""

    def is_used(name: str) -> bool:
        if name == _STDIN:
            return reads_stdin(options)
        return bool(getattr(options, name.removeprefix("--").replace("-", "_")))

    for name in ("--since", "--baseline", "--write-baseline"):
        if getattr(options, name.removeprefix("--").replace("-", "_")) == "":
            raise UserError(f"The value of {name} is empty.", "Name one, or leave the option out.")
    for name, needed in filter(lambda row: is_used(row[0]), _NEEDED.items()):
        if not any(map(is_used, needed)):
            raise UserError(f"{name} needs {' or '.join(needed)}.", "Give it too.")
    for name, excluded in filter(lambda row: is_used(row[0]), _EXCLUDED.items()):
        if other := next(filter(is_used, excluded), ""):
            raise UserError(f"{name} and {other} exclude each other.", "Leave one of them out.")
    if any(map(is_used, _SHOWN)) and options.format not in HUMAN_FORMATS:
        raise UserError(
            f"--show-files and --show-settings have no format {options.format}.",
            "Leave it out: `synapse policy --all --format json` has the settings for programs.",
        )
    if options.statistics and options.format not in STATISTICS_FORMATS:
        raise UserError(
            f"There are no statistics in the format {options.format}.",
            f"Choose one of {', '.join(STATISTICS_FORMATS)}.",
        )
    if options.write_baseline:
        check_baseline.verify_target(options.write_baseline)


def _report_trees(trees: Sequence[CheckedTree], options: Namespace, console: Console) -> int:
    """Write the report; return the exit code."""
    if file := options.write_baseline or (options.baseline if options.prune_baseline else ""):
        before = check_baseline.count_listed(file)
        if options.write_baseline:
            # List what was found in the file, and hide it.
            _save_report(file, check_baseline.baseline_text(file, trees), options)
            for tree in trees:
                tree.hidden_count, tree.findings = len(tree.findings), ()
        else:
            # Take out of the file what was not found any more.
            if any(tree.stale for tree in trees):
                _save_report(file, check_baseline.pruned_text(file, trees), options)
            for tree in trees:
                tree.stale = {}
        if _has_notes(options):
            count = format_count(check_baseline.count_listed(file) or 0, "finding")
            then = "" if before is None else f", {before:,} before"
            use = "; --baseline reads it" if options.write_baseline else ""
            console.note(f"{file} lists {count} now{then}{use}")
    report = Report(tuple(trees))
    if options.output_file:
        into = io.StringIO()
        _write_report(report, options, Console(out=into, color="never", quiet=console.quiet))
        _save_report(options.output_file, into.getvalue(), options)
    else:
        _write_report(report, options, console)
    if options.format in HUMAN_FORMATS and not (
        options.paths or options.since or report.files or report.fails
    ):
        roots = dict.fromkeys(tree.root for tree in trees)
        console.notes(map(rule_systems.rule_less_note, roots))
    if options.format in HUMAN_FORMATS:
        if options.since:
            # Say how much was looked at because of what changed.
            counts = [tree.change for tree in trees if tree.change]
            changed, looked_at = (sum(column) for column in zip(*counts, strict=True))
            what = format_count(changed, "file") if changed else "no file that is checked"
            looked = f"; {format_count(looked_at, 'other file')} looked at for what that causes"
            others = looked if changed and looked_at else ""
            console.note(f"{what} changed since {options.since}{others}")
        else:
            _note_unchecked_files(trees, options, console)
        for tree in trees:
            # Say what was not checked in files of instructions, which are no part of a tree.
            paths = [tree.display_path(path) for path in tree.foreign_paths]
            if len(paths) == 1:
                console.note(
                    f"{paths[0]} is no part of a tree: its text was checked, but not when and "
                    "where agents read it."
                )
            elif paths:
                console.note(
                    f"{paths[0]} and {format_count(len(paths) - 1, 'other file')} are no part of a "
                    "tree: their text was checked, but not when and where agents read them."
                )
            if paths and tree_search_upward.search_tree(tree.root).root is None:
                console.note(
                    "next, `synapse init --from FILE` makes rules of it that come when they apply"
                )
    if options.baseline and _has_notes(options):
        _note_known(trees, options, console)
    console.flush()
    return int(report.fails and not options.exit_zero)


def _has_notes(options: Namespace) -> bool:
    """Return whether somebody reads what stands beside the report: a person, or a job's log."""
    return options.format in (*HUMAN_FORMATS, "github") or bool(options.output_file)


def _note_known(trees: Sequence[CheckedTree], options: Namespace, console: Console) -> None:
    """Say how many findings a baseline hides where the report does not, and what it lists and the
    trees do not have any more.
    """
    hidden = sum(tree.hidden_count for tree in trees)
    if hidden and (options.output_file or options.format not in HUMAN_FORMATS):
        count = format_count(hidden, "finding")
        console.note(f"{count} hidden: {options.baseline} lists {'it' if hidden == 1 else 'them'}")
    for tree in trees:
        if tree.stale:
            # Say what a baseline lists and the tree does not have any more.
            entry_count = sum(tree.stale.values())
            places = [*dict.fromkeys(f"{entry.code} in {entry.path}" for entry in tree.stale)]
            more = len(places) - _STALE_SHOWN
            others = f" and {more} more" if more > 0 else ""
            console.note(
                f"{options.baseline} lists {format_count(entry_count, 'finding')} not found any "
                f"more: {', '.join(places[:_STALE_SHOWN])}{others}; --prune-baseline takes "
                f"{'it' if entry_count == 1 else 'them'} out"
            )


def _note_unchecked_files(
    trees: Sequence[CheckedTree], options: Namespace, console: Console
) -> None:
    """Say that files which were named are none that a check looks at."""
    named = {os.path.realpath(path) for path in options.paths}
    if not named or not all(map(os.path.isfile, named)):
        return
    unchecked = len(named) - sum(tree.files for tree in trees)
    why = "no rule looks at such a file, or it is excluded"
    if unchecked == 1 == len(named):
        console.note(f"{options.paths[0]} was not checked: {why}")
    elif unchecked > 0:
        verb = "was" if unchecked == 1 else "were"
        console.note(
            f"of the {len(named)} named files {unchecked} {verb} not checked: {why}; "
            "`--show-files` names the others"
        )


def _write_report(report: Report, options: Namespace, console: Console) -> None:
    if options.statistics:
        write_statistics(report, options.format, console)
    else:
        BY_NAME[options.format](report, console)


def _save_report(path: str, text: str, options: Namespace) -> None:
    file_changes.write_named_file(path, text.encode(errors="backslashreplace"), options)


@command(
    option(
        "paths PATH",
        'only what is in these files and folders; "-" reads the text of one file',
        nargs="*",
    ),
    option(
        "--stdin-filename FILE",
        "check the text on standard input as if this file of the tree had it",
    ),
    option(
        "--since REV",
        "only findings that changes since this git revision can have added",
        default=None,
    ),
    option_group(
        "Rules",
        *(
            repeated_option(f"{name} CODES", text)
            for name, text in (
                (
                    "--select",
                    "run only these: codes (SYN201), their beginnings (SYN2), names or ALL",
                ),
                ("--ignore", "do not run these"),
            )
        ),
        repeated_option(
            "--exclude GLOBS",
            "leave these files and folders alone, as well as those of the configuration",
        ),
        switch("--ignore-suppressions", "find also what comments silence"),
    ),
    _BASELINE_OPTIONS,
    _FIX_OPTIONS,
    _OUTPUT_OPTIONS,
    option_group(
        "Running",
        switch("--watch", "check again whenever something changes, until Ctrl+C"),
        switch("--show-files", "name the files that would be checked, and check nothing"),
        switch(
            "--show-settings", "show the settings, and the rules that would run, and check nothing"
        ),
    ),
)
def run(options: Namespace, console: Console) -> int:
    """Reads the whole tree and says what is wrong where, what that causes, and what to do. Without
    PATH it is the tree of the working directory; with PATHs, the findings in those files and
    folders, each in the light of its whole tree. What has not changed since the last time is not
    checked again.

    Exit codes: 0 if no error and no warning is shown, 1 if one is, 2 if the check itself was not
    possible. A reader that takes only the first lines, such as head, changes none of them. Which
    rules run is set in .synapse/config.toml, [lint].

    Examples:

    # The tree that I work in
    $ synapse check

    # What has to be mended before a merge
    $ synapse check --severity warning

    # One kind of finding, in one squad
    $ synapse check --select SYN2 squads/etl-squad

    # What would be fixed?
    $ synapse check --diff

    # A text that is not saved yet
    $ synapse check - --stdin-filename .synapse/manifest < draft

    # Only what is new
    $ synapse check --baseline synapse-baseline.json

    # What this branch has added
    $ synapse check --since origin/main

    # For code scanning
    $ synapse check --format sarif --output-file synapse.sarif

    # For a program
    $ synapse check --format json --exit-zero | jq -r '.[].code' | sort | uniq -c
    """
    _verify_options(options)
    progress = Progress(console)
    if options.show_files or options.show_settings or options.watch:
        from synapse_ls.cli import opened_trees

        if options.show_files or options.show_settings:
            return opened_trees.write_listing(options, progress, console)

        def report_trees(trees: Sequence[CheckedTree]) -> bool:
            _report_trees(trees, options, console)
            console.note("watching for changes; Ctrl+C ends it")
            return console.is_read

        opened_trees.watch_trees(scopes_of(options), progress, report_trees)
        return 0
    is_changing = options.fix or options.diff or options.add_suppressions
    if is_changing or reads_stdin(options):
        from synapse_ls.cli import check_fixes

        if is_changing:
            return check_fixes.fix_or_show(options, progress, console, _report_trees)
        opened = check_fixes.read_draft(options, progress).opened
        once_trees = [opened.check_state(opened.tree)]
    else:
        cache = not options.no_cache
        once_trees = [_check_tree(scope, progress, cache=cache) for scope in scopes_of(options)]
    progress.end()
    return _report_trees(once_trees, options, console)


def _check_tree(scope: CheckScope, progress: Progress, *, cache: bool) -> CheckedTree:
    """Check the tree of a scope, and return what is to be shown of it; with ``cache`` as it was
    found before, if nothing changed.
    """
    store = None
    if cache and not (scope.since or scope.instruction_paths):  # whose stamps nobody keeps
        findings_cache = FindingsCache(scope.root)
        question = repr((scope.select, scope.ignore, scope.exclude, scope.within))
        if not scope.heeds_comments:
            question += " with what comments suppress"
        if answer := findings_cache.findings(question):
            findings, files = answer
            return scope.report_tree(findings_cache.text, files, findings)
        store = partial(findings_cache.store, question)
    from synapse_ls.cli.opened_trees import check_anew  # it imports the linter

    return check_anew(scope, progress, store)
