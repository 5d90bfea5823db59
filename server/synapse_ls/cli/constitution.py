"""``synapse constitution build|check``: build it from Markdown, or show what is stale."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from synapse_ls.cli import file_changes, shared_options
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Styled
from synapse_ls.setup.constitution_update import (
    CONSTITUTION,
    ConstitutionUpdate,
    check_edits,
    plan_constitution,
)
from synapse_ls.storage.edit_application import apply_plan
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.tree_search_upward import find_root

_SOURCE_OPTION = option(
    "--source FILE", "the Markdown, relative to the root (default: that of the configuration)"
)


def _find_root(options: Namespace) -> Path:
    """Return the root of the tree, or the working directory: the constitution may be the first
    file.
    """
    start = str(Path(getattr(options, "root", "") or ".").absolute())
    return Path(find_root(start) or start)


def _file_and_line(line: int) -> str:
    return f"{CONSTITUTION}:{line}" if line else CONSTITUTION


def _print_unrated(update: ConstitutionUpdate, console: Console) -> None:
    console.notes(
        f'{update.source}:{line} "{title}" has no severity, so it is no article: it is not injected'
        for line, title in update.unrated
    )


def _build_report(update: ConstitutionUpdate, *, applied: bool) -> dict[str, Any]:
    return {
        "source": update.source,
        "file": CONSTITUTION,
        "current": not update.plan,
        "applied": applied,
        "lines": list(update.drift),
        "unrated": [{"line": line, "title": title} for line, title in update.unrated],
    }


@command(
    _SOURCE_OPTION,
    switch("--force", "give up what was edited by hand, and keep a copy of it"),
    option_group(
        "Output",
        switch("--check", "write nothing and say what is out of date, as `constitution check`"),
        file_changes.DRY_RUN_SWITCH,
        shared_options.FORMAT_OPTION,
    ),
)
def run_build(options: Namespace, console: Console) -> int | None:
    """Writes .synapse/constitution from its Markdown source: every article whose heading has a
    severity, with its rules, the points nested below them, its sentences, tables and gate,
    back-ticks included. The same source always gives the same file. A stamp above each article
    separates what was edited here from what has changed in the source. Only --force overwrites an
    edit, and then a copy is kept. Articles that only this file has stay.

    Examples:

    # What would change?
    $ synapse constitution build --dry-run

    # From another file
    $ synapse constitution build --source docs/constitution.md
    """
    if options.check:
        return run_check.run(options, console)
    root = _find_root(options)
    build = plan_constitution(root, options.source, force=options.force)
    if not options.force:
        for line in build.edited_lines if build.plan and not options.dry_run else ():
            console.note_line(
                Styled(_file_and_line(line.line), "name"), f" {line.key} {line.sentence}"
            )
        if not options.dry_run:
            check_edits(build)
    if options.format == "json":
        if not options.dry_run and build.plan:
            apply_plan(root, build.plan)
        console.json(_build_report(build, applied=not options.dry_run))
        return None
    file_changes.apply_or_show(str(root), build.plan, options, console)
    if build.own:
        console.note("articles that the source does not have stay at the end of the file")
    for line in build.edited_lines if options.dry_run else ():
        console.note(f"{_file_and_line(line.line)} {line.key} {line.sentence}")
    _print_unrated(build, console)
    return None


@command(_SOURCE_OPTION, option_group("Output", shared_options.FORMAT_OPTION))
def run_check(options: Namespace, console: Console) -> int:
    """Says which lines of .synapse/constitution are not as they would be built from the source now,
    and whether the source has changed or somebody has edited them here. Exits with 1 if there are
    any.

    Examples:

    # Is it up to date? For CI
    $ synapse constitution check --quiet
    """
    build = plan_constitution(_find_root(options), options.source)
    if options.format == "json":
        console.json(_build_report(build, applied=False))
        return int(bool(build.plan))
    for drift in build.drift:
        console.line(Styled(_file_and_line(drift.line), "name"), f" {drift.key} {drift.sentence}")
        if drift.now:
            console.line("  ", Styled(f"- {drift.now}", "bad"))
        if drift.wanted:
            console.line("  ", Styled(f"+ {drift.wanted}", "good"))
    _print_unrated(build, console)
    if not build.plan:
        console.line(f"{CONSTITUTION} says what {build.source} says.")
        return 0
    if not build.drift:
        console.line(f"{CONSTITUTION} says what {build.source} says, and has no stamps of it.")
    count = format_count(len(build.drift), "line") if build.drift else "the stamps"
    console.note(f"{count} to update: `synapse constitution build` does it")
    return 1
