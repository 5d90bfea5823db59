"""``synapse sync``: the rules in the files that agents read without a hook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from synapse_ls.cli.clients import ALL, add_client
from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.cli.table import columns
from synapse_ls.cli.writing import show_text_diff
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.difference import CHANGE, CREATE, NONE, REMOVE
from synapse_ls.manage.sync.apply import carry_out
from synapse_ls.manage.sync.plan import Synced, plan_sync
from synapse_ls.sync.registry import TARGETS, target_of
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console, Part
    from synapse_ls.cli.parser import Parser
    from synapse_ls.manage.sync.change import Change

_DONE = {CREATE: "created", CHANGE: "changed", REMOVE: "removed", NONE: "unchanged"}


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "targets",
        metavar="TARGET",
        nargs="*",
        help=f"{', '.join(TARGETS)}, or a file of one of them (default: those that were written "
        "before, and `[sync] targets` of the configuration)",
    )
    add_client(parser, everyone="the targets")
    parser.add_argument(
        "--force", action="store_true", help="overwrite what somebody has changed in our part"
    )
    parser.add_argument("--remove", action="store_true", help="take our part out again")
    output = parser.add_argument_group("Output")
    for name, text in (
        (
            "--check",
            "write nothing; name what is out of date, with the difference, and exit with 1",
        ),
        ("--dry-run", "show the changes as a diff and write nothing"),
    ):
        output.add_argument(name, action="store_true", help=text)
    add_format(output)


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    asked = set(_named(options))
    made = plan_sync(Path(root), asked, remove=options.remove, force=options.force)
    write = not (options.check or options.dry_run)
    if write:
        carry_out(Path(root), made.changes)
    failed = [one for one in made.changes if (one.is_drift if options.check else one.trouble)]
    if options.format == "json":
        console.json(_report(made, write=write, ok=not failed))
        return int(bool(failed))
    if not made.targets:
        console.note("No file is kept up to date. Name what to write: `synapse sync agents`.")
    for change in made.changes:
        if change.trouble:
            console.error(f"{change.path}:{change.line} {change.said}.", change.remedy)
    if options.check:
        _show_drift(made, console)
    elif options.dry_run:
        for change in made.changes:
            show_text_diff(change.diff, console)
    else:
        _show_done(made, console)
    for note in made.notes:
        console.note(note)
    return int(bool(failed))


def _named(options: Namespace) -> list[str]:
    """The targets that the command line names."""
    found = []
    for named in options.targets:
        target = TARGETS.get(named) or target_of(named.replace("\\", "/").removeprefix("./"))
        if target is None:
            raise CliError(f'There is no target "{named}".', f"Choose one of {', '.join(TARGETS)}.")
        found.append(target.name)
    for name in options.clients:
        own = [t.name for t in TARGETS.values() if name == ALL or name in t.clients]
        if not own:
            title = CLIENTS[name].title
            raise CliError(f"{title} reads no file that can be written.", "Install the hook.")
        found += own
    return found


def _show_drift(made: Synced, console: Console) -> None:
    for change in made.drift:
        if not change.trouble:
            console.line(Styled(f"{change.path}:{change.line}", "name"), f" {change.said}")
        show_text_diff(change.diff, console)
    count = len(made.drift)
    if count:
        console.note(
            f"{counted(count, 'file')} out of date. `synapse sync` writes those that nobody has edited."
        )
    elif made.targets:
        console.note(f"{counted(len(made.changes), 'file')} up to date.")


def _show_done(made: Synced, console: Console) -> None:
    rows: list[list[Part]] = [
        [_DONE[change.action], Styled(change.path, "name"), Styled(_title(change), "dim")]
        for change in made.changes
        if not change.trouble
    ]
    for line in columns(rows):
        console.line(*line)


def _title(change: Change) -> str:
    return ", ".join(TARGETS[name].title for name in change.target.split("+"))


def _report(made: Synced, *, write: bool, ok: bool) -> dict[str, Any]:
    return {
        "root": str(made.root),
        "applied": write,
        "ok": ok,
        "targets": [
            {"target": name, "content": kind, "path": TARGETS[name].standing.path}
            for name, kind in made.targets.items()
        ],
        "files": [
            {
                "path": change.path,
                "targets": change.target.split("+"),
                "action": change.action if not change.trouble else NONE,
                "drift": change.is_drift,
                "trouble": change.trouble or None,
                "line": change.line if change.is_drift else None,
                "message": f"{change.path} {change.said}.",
                "remedy": change.remedy or None,
                "diff": change.diff,
            }
            for change in made.changes
        ],
        "notes": list(made.notes),
    }


SYNC = Command(
    description="""\
Writes the rules into the files that agents read by themselves, for clients without the hook: what
always applies (constitution, global rules, always-on domains), and domains with `{D}_PATHS`, with their
globs where the client knows such. What depends on the prompt, the agent or the bracket only the hook
can tell. Where a client has the hook in the project's settings, its file says no more than that.

Only what is between the marks `synapse:begin` and `synapse:end` is ever changed, or files that are ours
as a whole; what somebody has changed in there is reported and stays. Doing it again changes nothing.

Exit codes: 0; 1 where a file was left alone, with --check where one is out of date.""",
    examples=(
        ("AGENTS.md and Cursor's rules", "synapse sync agents cursor"),
        ("Bring up to date what was written before", "synapse sync"),
        ("Is all of it up to date? In continuous integration", "synapse sync --check"),
        ("The files of one client, without writing them", "synapse sync --client claude --dry-run"),
        ("Take our part out of CLAUDE.md again", "synapse sync --remove claude"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
