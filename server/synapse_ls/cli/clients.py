"""What ``install``, ``uninstall`` and ``doctor`` share: which clients, which scopes, what was done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.parser import one_of
from synapse_ls.cli.table import columns
from synapse_ls.cli.writing import show_text_diff
from synapse_ls.manage.clients.client import SCOPES, Surroundings
from synapse_ls.manage.clients.record import backup_of
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.difference import CREATE, NONE, REMOVE
from synapse_ls.workspace.discover import find_root

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from synapse_ls.cli.console import Console, Part
    from synapse_ls.manage.clients.client import Client
    from synapse_ls.manage.clients.install import Change

ALL = "all"
_DONE = {CREATE: "created", REMOVE: "removed", NONE: "unchanged"}


def add_client(parser: ArgumentParser, *, everyone: str) -> None:
    """``--client NAME``, which may be given again."""
    parser.add_argument(
        "--client",
        metavar="NAME",
        type=one_of((*CLIENTS, ALL)),
        action="append",
        default=[],
        dest="clients",
        help=f"{', '.join(CLIENTS)} or {ALL}; may be given again (default: {everyone})",
    )


def add_scope(parser: ArgumentParser, *, default: str) -> None:
    """``--scope NAME``."""
    parser.add_argument(
        "--scope",
        metavar="NAME",
        type=one_of(SCOPES),
        default=None,
        help="project: shared with the repository; local: this project, this user; user: all "
        f"projects of this user (default: {default})",
    )


def surroundings(options: Namespace) -> Surroundings:
    """The project that the command is about: that of the tree, else the folder that was named."""
    named = getattr(options, "root", "")
    if named and not Path(named).exists():
        raise CliError(f"There is no folder {named}.", "Name the workspace with --root DIR.")
    start = str(Path(named or ".").absolute())
    return Surroundings.here(find_root(start) or start)


def named_clients(options: Namespace) -> list[Client]:
    """The clients of ``--client``, in the order of the registry; none where it was not given."""
    names = options.clients
    return [c for c in CLIENTS.values() if c.name in names or ALL in names]


def has_tree(around: Surroundings) -> bool:
    """Whether the project has a tree."""
    return find_root(str(around.root)) == str(around.root)


def show_changes(changes: Sequence[Change], console: Console, *, dry_run: bool) -> None:
    """The changes as a diff, or what was done to which file."""
    if dry_run:
        for change in changes:
            show_text_diff(change.diff, console)
        return
    rows: list[list[Part]] = []
    for change in changes:
        titles = ", ".join(CLIENTS[name].title for name in change.clients)
        done = _DONE.get(change.action, "changed")
        rows.append([done, Styled(change.name, "name"), Styled(titles, "dim")])
    for line in columns(rows):
        console.line(*line)


def report_of(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The changes as data."""
    return [
        {
            "path": change.name,
            "file": str(change.file),
            "clients": list(change.clients),
            "scope": change.scope,
            "action": change.action,
            "diff": change.diff,
            "backup": _backup(change),
        }
        for change in changes
    ]


def _backup(change: Change) -> str:
    backup = backup_of(change.file)
    return str(backup) if backup.exists() else ""
