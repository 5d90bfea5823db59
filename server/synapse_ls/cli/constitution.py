"""This module is ``synapse constitution build|check``: it builds the constitution from its Markdown
source, and says what is out of date.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.file_changes import apply_or_show
from synapse_ls.cli.shared_options import add_format_option
from synapse_ls.setup.constitution_update import (
    CONSTITUTION,
    ConstitutionUpdate,
    check_edits,
    plan_constitution,
)
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.tree_discovery import find_root

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console


def _add_source_argument(parser: Parser) -> None:
    parser.add_argument(
        "--source",
        metavar="FILE",
        default="",
        help="the Markdown, relative to the root (default: that of the configuration)",
    )


def _add_build_arguments(parser: Parser) -> None:
    _add_source_argument(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="give up what was edited by hand, and keep a copy of it",
    )
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--dry-run", action="store_true", help="show the changes as a diff and write nothing"
    )
    add_format_option(output)


def _add_check_arguments(parser: Parser) -> None:
    _add_source_argument(parser)
    add_format_option(parser.add_argument_group("Output"))


def _run_build(options: Namespace, console: Console) -> int:
    root = _find_root(options)
    made = plan_constitution(root, options.source, force=options.force)
    if not options.force:
        for one in made.edited_lines if made.plan and not options.dry_run else ():
            console.note_line(
                Styled(_file_and_line(one.line), "name"), f" {one.key} {one.sentence}"
            )
        if not options.dry_run:
            check_edits(made)
    if options.format == "json":
        if not options.dry_run and made.plan:
            from synapse_ls.storage.edit_application import apply_plan

            apply_plan(root, made.plan)
        console.json(_build_report(made, applied=not options.dry_run))
        return 0
    code = apply_or_show(str(root), made.plan, options, console)
    if made.own:
        console.note("articles that the source does not have stay at the end of the file")
    for one in made.edited_lines if options.dry_run else ():
        console.note(f"{_file_and_line(one.line)} {one.key} {one.sentence}")
    _print_unrated(made, console)
    return code


def _run_check(options: Namespace, console: Console) -> int:
    made = plan_constitution(_find_root(options), options.source)
    if options.format == "json":
        console.json(_build_report(made, applied=False))
        return int(bool(made.plan))
    for one in made.drift:
        console.line(Styled(_file_and_line(one.line), "name"), f" {one.key} {one.sentence}")
        if one.now:
            console.line("  ", Styled(f"- {one.now}", "bad"))
        if one.wanted:
            console.line("  ", Styled(f"+ {one.wanted}", "good"))
    _print_unrated(made, console)
    if not made.plan:
        console.line(f"{CONSTITUTION} says what {made.source} says.")
        return 0
    if not made.drift:
        console.line(f"{CONSTITUTION} says what {made.source} says, and has no stamps of it.")
    count = format_count(len(made.drift), "line") if made.drift else "the stamps"
    console.note(f"{count} to bring up to date: `synapse constitution build` does it")
    return 1


def _find_root(options: Namespace) -> Path:
    """Returns the root of the tree, or the working directory: the constitution may be the first
    file.
    """
    start = str(Path(getattr(options, "root", "") or ".").absolute())
    return Path(find_root(start) or start)


def _file_and_line(line: int) -> str:
    return f"{CONSTITUTION}:{line}" if line else CONSTITUTION


def _print_unrated(made: ConstitutionUpdate, console: Console) -> None:
    for line, title in made.unrated:
        console.note(
            f'{made.source}:{line} "{title}" has no severity, so it is no article: nobody is told it'
        )


def _build_report(made: ConstitutionUpdate, *, applied: bool) -> dict[str, Any]:
    return {
        "source": made.source,
        "file": CONSTITUTION,
        "current": not made.plan,
        "applied": applied,
        "lines": [
            {
                "what": one.what,
                "line": one.line,
                "key": one.key,
                "now": one.now,
                "wanted": one.wanted,
                "sentence": one.sentence,
            }
            for one in made.drift
        ],
        "unrated": [{"line": line, "title": title} for line, title in made.unrated],
    }


BUILD = Command(
    description="""\
Writes .synapse/constitution from its Markdown source: every article whose heading has a severity,
with its rules, the points nested below them, its tables and its gate, back-ticks included. The same
source always gives the same file. A stamp above each article tells what was edited here from what has
changed in the source; an edit is never overwritten unless --force says so, and then a copy is kept.
Articles that only this file has stay.""",
    examples=(
        ("What would change?", "synapse constitution build --dry-run"),
        ("From another file", "synapse constitution build --source docs/constitution.md"),
    ),
    arguments=_add_build_arguments,
    run=_run_build,
)

CHECK = Command(
    description="""\
Says which lines of .synapse/constitution are not as they would be built from the source now, and
whether the source has changed or somebody has edited them here. Exits with 1 if there are any.""",
    examples=(("Is it up to date? For CI", "synapse constitution check --quiet"),),
    arguments=_add_check_arguments,
    run=_run_check,
)
