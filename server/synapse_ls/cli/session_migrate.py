"""``synapse session migrate``: sessions of other tools and older schemas, and the way back."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.options import root_of
from synapse_ls.cli.table import columns
from synapse_ls.sessions import migrate as migration
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.sessions.backup import Step


def _arguments(parser: Parser) -> None:
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--dry-run", action="store_true", help="only say what would be converted")
    way.add_argument("--rollback", action="store_true", help="undo the last migration, to the byte")


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    now = time.time()
    if options.rollback:
        undone = migration.rollback(root, now=now)
        _list(console, [("restored", path) for path in undone.restored])
        _list(console, [("removed", path) for path in undone.removed])
        console.line(f"Rolled back {_shown(undone.backup, root)}.")
        return 0
    if options.dry_run:
        plan = migration.plan_migration(root, now=now)
        _tell(console, plan.steps, plan.skipped)
        console.line(f"{counted(len(plan.steps), 'session')} would be converted.")
        return 0
    done = migration.migrate(root, now=now)
    _tell(console, done.done, done.skipped)
    kept = f"; the backup is {_shown(done.backup, root)}" if done.backup else ""
    console.line(f"{counted(len(done.done), 'session')} converted{kept}.")
    return 0


def _shown(path: str, root: str) -> str:
    return os.path.relpath(Path(root, path), root).replace(os.sep, "/")


def _tell(console: Console, steps: Iterable[Step], skipped: Iterable[tuple[str, str]]) -> None:
    _list(console, [(", ".join(path for path, _ in s.sources), f"-> {s.target}") for s in steps])
    for source, reason in skipped:
        console.note(f"{source} stays as it is: {reason}")


def _list(console: Console, pairs: list[tuple[str, str]]) -> None:
    rows: list[list[Part]] = [[Styled(first, "name"), second] for first, second in pairs]
    for line in columns(rows):
        console.line(*line)


MIGRATE = Command(
    description="""\
Converts the sessions of CARL (.carl/sessions/), of AIOS and AIOX (session-state.json) and those of
older schemas. The files of other tools are only read; what is replaced here is backed up first.""",
    examples=(
        ("What would be converted?", "synapse session migrate --dry-run"),
        ("Take it back", "synapse session migrate --rollback"),
    ),
    arguments=_arguments,
    run=_run,
)
