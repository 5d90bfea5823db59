"""``synapse fmt``: one layout for manifests, rule files and squads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.check_places import lies_in, place_of, places, reads_stdin
from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.ide.formatting import FORMATTED, format_edits, formatted
from synapse_ls.lint.policy import is_vendored
from synapse_ls.manage.plan import Plan, edit
from synapse_ls.text.counted import counted
from synapse_ls.text.decode import decode
from synapse_ls.workspace.facts import analyze
from synapse_ls.workspace.kinds import classify

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.manage.plan import FileEdit
    from synapse_ls.workspace.facts import FileFacts
    from synapse_ls.workspace.snapshot import Snapshot

_NOT_TEXT = frozenset({"not-utf8", "invalid-utf8"})
_MARK = "\ufeff"  # of a text that begins with a byte order mark


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help='only these files and folders; "-" formats the text on standard input',
    )
    parser.add_argument(
        "--stdin-filename",
        metavar="FILE",
        default="",
        help="the file of the tree that the text on standard input is for",
    )
    output = parser.add_argument_group("Output")
    for name, text in (
        ("--check", "write nothing; name the files that are laid out otherwise, exit with 1"),
        ("--diff", "write nothing; show what would change, exit with 1 if anything would"),
    ):
        output.add_argument(name, action="store_true", help=text)


def _run(options: Namespace, console: Console) -> int:
    if reads_stdin(options):
        return _standard_input(options, console)
    count = 0
    for root, within in places(options).items():
        plan = Plan(tuple(_edits(root, within, console)))
        count += len(plan.edits)
        _carry_out(root, plan, options, console)
    if not count:
        console.note("Everything is laid out as it should be.")
    elif options.check:
        console.note(f"{counted(count, 'file')} would be changed. `synapse fmt` does it.")
    return int(count > 0 and (options.check or options.diff))


def _edits(root: str, within: Iterable[str], console: Console) -> Iterator[FileEdit]:
    """The changes to the files of a tree that are asked about."""
    from synapse_ls.workspace.loader import Scope, load

    snapshot = load(root, Scope.ALL).index.snapshot()
    asked = tuple(within)
    for facts in _files(snapshot, asked):
        edits = format_edits(facts)
        if edits and not _NOT_TEXT.isdisjoint(problem.kind for problem in facts.problems):
            console.note(f"{facts.path} is not UTF-8 throughout and was left as it is.")
        elif edits:
            yield edit(facts.path, facts.text, edits)


def _files(snapshot: Snapshot, within: tuple[str, ...]) -> Iterator[FileFacts]:
    """The files that are asked about; those of a framework only where they are named."""
    for path in snapshot.paths():
        facts = snapshot.facts(path)
        named = any(is_vendored(f"{place}/") and lies_in(path, (place,)) for place in within)
        wanted = lies_in(path, within) and (named or not is_vendored(path))
        if facts and facts.kind in FORMATTED and wanted:
            yield facts


def _carry_out(root: str, plan: Plan, options: Namespace, console: Console) -> None:
    from synapse_ls.cli.writing import show_diff
    from synapse_ls.manage.apply import apply

    if options.diff:
        show_diff(plan, console)
        return
    if not options.check:
        apply(Path(root), plan)
    for change in plan.edits:
        console.line(
            "would change  " if options.check else "changed  ", Styled(change.path, "name")
        )


def _standard_input(options: Namespace, console: Console) -> int:
    """Format a text that is not saved yet."""
    from synapse_ls.cli.writing import show_diff
    from synapse_ls.workspace.loader import Scope, load

    data = sys.stdin.buffer.read() if sys.stdin is not None else b""
    root, path = place_of(options.stdin_filename, options)
    kind = classify(path, load(root, Scope.PROMPT).index.snapshot().config.paths)
    if kind not in FORMATTED or kind is None:
        raise CliError(
            f"{options.stdin_filename} has no format of ours.",
            "Name a manifest, a rule file or a squad.yaml.",
        )
    read = decode(data)
    mark = _MARK if read.bom else ""
    if (mark + read.text).encode(errors="replace") != data:
        raise CliError(
            "The text is not UTF-8 throughout, so formatting could damage the rest of it.",
            "Save it as UTF-8 first.",
        )
    facts = analyze(path, kind, read.text)
    changed = formatted(facts) != facts.text
    if options.diff:
        plan = Plan((edit(path, facts.text, format_edits(facts)),) if changed else ())
        show_diff(plan, console)
    elif not options.check:
        console.write(mark + formatted(facts))
    return int(changed and (options.check or options.diff))


FMT = Command(
    description="""\
Lays out manifests, rule files and squad.yaml files: no white space around a key and its "=",
around the commas of a manifest's list or at the end of a line, one blank line at most, a line break at
the end. Order, comments and the kind of line breaks stay, and nothing that is
read or injected changes. Plain text keeps its lines as they are. Other files belong to other tools
and are left alone, and so are those of a framework unless PATH names them.

Exit codes: 0, with --check and --diff 1 where something would change.""",
    examples=(
        ("The tree that I work in", "synapse fmt"),
        ("Is everything laid out well? In continuous integration", "synapse fmt --check"),
        ("What would change in one squad?", "synapse fmt --diff squads/etl-squad"),
        (
            "A text that is not saved yet",
            "synapse fmt - --stdin-filename .synapse/manifest < draft",
        ),
    ),
    arguments=_arguments,
    run=_run,
)
