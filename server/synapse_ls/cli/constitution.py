"""``synapse constitution build|check``: the constitution and the Markdown that it is made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.options import add_format
from synapse_ls.cli.writing import carry_out
from synapse_ls.manage.constitution.build import (
    CONSTITUTION,
    Building,
    check_edits,
    plan_build,
)
from synapse_ls.text.counted import counted
from synapse_ls.workspace.discover import find_root

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "--source",
        metavar="FILE",
        default="",
        help="the Markdown, relative to the root (default: that of the configuration)",
    )


def _build_arguments(parser: Parser) -> None:
    _arguments(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="give up what was edited by hand, and keep a copy of it",
    )
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--dry-run", action="store_true", help="show the changes as a diff and write nothing"
    )
    add_format(output)


def _check_arguments(parser: Parser) -> None:
    _arguments(parser)
    add_format(parser.add_argument_group("Output"))


def _build(options: Namespace, console: Console) -> int:
    root = _root(options)
    made = plan_build(root, options.source, force=options.force)
    if not options.force:
        for one in made.edited if made.plan and not options.dry_run else ():
            console.aside(Styled(_place(one.line), "name"), f" {one.key} {one.sentence}")
        if not options.dry_run:
            check_edits(made)
    if options.format == "json":
        if not options.dry_run and made.plan:
            from synapse_ls.manage.apply import apply

            apply(root, made.plan)
        console.json(_report(made, applied=not options.dry_run))
        return 0
    code = carry_out(str(root), made.plan, options, console)
    if made.own:
        console.note("articles that the source does not have stay at the end of the file")
    for one in made.edited if options.dry_run else ():
        console.note(f"{_place(one.line)} {one.key} {one.sentence}")
    _unrated(made, console)
    return code


def _check(options: Namespace, console: Console) -> int:
    made = plan_build(_root(options), options.source)
    if options.format == "json":
        console.json(_report(made, applied=False))
        return int(bool(made.plan))
    for one in made.drift:
        console.line(Styled(_place(one.line), "name"), f" {one.key} {one.sentence}")
        if one.now:
            console.line("  ", Styled(f"- {one.now}", "bad"))
        if one.wanted:
            console.line("  ", Styled(f"+ {one.wanted}", "good"))
    _unrated(made, console)
    if not made.plan:
        console.line(f"{CONSTITUTION} says what {made.source} says.")
        return 0
    if not made.drift:
        console.line(f"{CONSTITUTION} says what {made.source} says, and has no stamps of it.")
    count = counted(len(made.drift), "line") if made.drift else "the stamps"
    console.note(f"{count} to bring up to date: `synapse constitution build` does it")
    return 1


def _root(options: Namespace) -> Path:
    """The root of the tree, or the working directory: the constitution may be the first file."""
    start = str(Path(getattr(options, "root", "") or ".").absolute())
    return Path(find_root(start) or start)


def _place(line: int) -> str:
    return f"{CONSTITUTION}:{line}" if line else CONSTITUTION


def _unrated(made: Building, console: Console) -> None:
    for line, title in made.unrated:
        console.note(
            f'{made.source}:{line} "{title}" has no severity, so it is no article: nobody is told it'
        )


def _report(made: Building, *, applied: bool) -> dict[str, Any]:
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
    arguments=_build_arguments,
    run=_build,
)

CHECK = Command(
    description="""\
Says which lines of .synapse/constitution are not as they would be built from the source now, and
whether the source has changed or somebody has edited them here. Exits with 1 if there are any.""",
    examples=(("Is it up to date? For CI", "synapse constitution check --quiet"),),
    arguments=_check_arguments,
    run=_check,
)
