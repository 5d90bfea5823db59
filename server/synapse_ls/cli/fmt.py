"""``synapse fmt``: format manifests, rule files and squads in one layout."""

from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

from synapse_ls.cli.check_scope import is_within, paths_by_root, read_stdin, reads_stdin, split_path
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Styled
from synapse_ls.cli.file_changes import show_diff
from synapse_ls.ide.formatting import FORMATTED_KINDS, format_edits, format_text
from synapse_ls.lint.rule_selection import is_vendored
from synapse_ls.storage.edit_application import apply_plan
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan, FileEdit, edit_file
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.tree_loader import load_tree

_ENCODING_PROBLEMS = frozenset({"not-utf8", "invalid-utf8"})


def _format_edits(root: str, within: Iterable[str], console: Console) -> Iterator[FileEdit]:
    """Yield the changes to the files of a tree that are asked about; those of a framework only
    where they are named.
    """
    snapshot = load_tree(root, LoadScope.ALL).index.snapshot()
    places = tuple(within)
    for facts in sorted(snapshot.files(*FORMATTED_KINDS), key=lambda facts: facts.path):
        path = facts.path
        if not is_within(path, places):
            continue
        if is_vendored(path) and not any(
            is_vendored(f"{place}/") and is_within(path, (place,)) for place in places
        ):
            continue
        edits = format_edits(facts)
        if edits and not _ENCODING_PROBLEMS.isdisjoint(problem.kind for problem in facts.problems):
            console.note(f"{facts.path} is not UTF-8 throughout and was left as it is.")
        elif edits:
            yield edit_file(facts.path, facts.text, edits)


@command(
    option(
        "paths PATH",
        'only these files and folders; "-" formats the text on standard input',
        nargs="*",
    ),
    option("--stdin-filename FILE", "the file of the tree that the text on standard input is for"),
    option_group(
        "Output",
        switch("--check", "write nothing; name the files that are laid out otherwise, exit with 1"),
        switch("--diff", "write nothing; show what would change, exit with 1 if anything would"),
    ),
)
def run(options: Namespace, console: Console) -> int:
    """Lays out manifests, rule files and squad.yaml files. It takes away white space around a key
    and its "=", around the commas of a manifest's list and at the end of a line. One blank line at
    most is left, and a line break at the end. Order, comments and the kind of line breaks stay, and
    nothing that is read or injected changes. Plain text keeps its lines as they are. Other files
    belong to other tools and are left alone, and so are those of a framework unless PATH names
    them.

    Exit codes: 0, with --check and --diff 1 where something would change.

    Examples:

    # The tree that I work in
    $ synapse fmt

    # Is everything laid out well? In continuous integration
    $ synapse fmt --check

    # What would change in one squad?
    $ synapse fmt --diff squads/etl-squad

    # A text that is not saved yet
    $ synapse fmt - --stdin-filename .synapse/manifest < draft
    """
    if reads_stdin(options):
        # Format a text that is not saved yet.
        root, path = split_path(options.stdin_filename, options)
        kind = classify_path(path, load_tree(root, LoadScope.PROMPT).index.snapshot().config.paths)
        if kind not in FORMATTED_KINDS or kind is None:
            raise UserError(
                f"{options.stdin_filename} has no format of ours.",
                "Name a manifest, a rule file or a squad.yaml.",
            )
        mark, read = read_stdin("formatting")
        facts = analyze_file(path, kind, read.text)
        changed = format_text(facts) != facts.text
        if options.diff:
            plan = EditPlan((edit_file(path, facts.text, format_edits(facts)),) if changed else ())
            show_diff(plan, console)
        elif not options.check:
            console.write(mark + format_text(facts))
        return int(changed and (options.check or options.diff))
    count = 0
    for root, within in paths_by_root(options).items():
        plan = EditPlan(tuple(_format_edits(root, within, console)))
        count += len(plan.edits)
        if options.diff:
            show_diff(plan, console)
            continue
        if not options.check:
            apply_plan(Path(root), plan)
        verb = "would change  " if options.check else "changed  "
        console.lines((verb, Styled(change.path, "name")) for change in plan.edits)
    if not count:
        console.note("Everything is laid out as it should be.")
    elif options.check:
        console.note(f"{format_count(count, 'file')} would be changed. `synapse fmt` does it.")
    return int(count > 0 and (options.check or options.diff))
