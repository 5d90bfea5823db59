"""This module holds what ``install``, ``uninstall`` and ``doctor`` share: the options for agent
clients and scopes, and showing what was changed in their settings.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_parser import ChoiceType
from synapse_ls.cli.console import Styled
from synapse_ls.cli.table import print_table
from synapse_ls.cli.tree_changes import show_text_diff
from synapse_ls.integrations import client_registry as hosts
from synapse_ls.integrations.client_definition import SCOPES, Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.file_action import CREATE, NONE, REMOVE
from synapse_ls.setup.install.settings_backup import backup_path
from synapse_ls.workspace.tree_discovery import find_root

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _ActionsContainer
    from collections.abc import Sequence

    from synapse_ls.cli.console import Console, Part
    from synapse_ls.integrations.client_definition import Client
    from synapse_ls.setup.install.hook_installation import SettingsChange

ALL = "all"
_ACTION_WORDS = {CREATE: "created", REMOVE: "removed", NONE: "unchanged"}


def add_client_option(parser: _ActionsContainer, *, default: str) -> None:
    """Adds ``--client NAME``: several with commas, or given again."""
    parser.add_argument(
        "--client",
        metavar="NAME",
        type=ChoiceType((*CLIENTS, ALL), takes_list=True),
        action="extend",
        default=[],
        dest="clients",
        help=f"{', '.join(CLIENTS)} or {ALL}; several with commas, or given again "
        f"(default: {default})",
    )


def add_scope_option(parser: ArgumentParser, *, default: str) -> None:
    """Adds ``--scope NAME``."""
    parser.add_argument(
        "--scope",
        metavar="NAME",
        type=ChoiceType(SCOPES),
        default=None,
        help="project: shared with the repository; local: this project, this user; user: all "
        f"projects of this user (default: {default})",
    )


def find_surroundings(options: Namespace) -> Surroundings:
    """Returns the project in which a command looks for the settings of agent clients: that of the
    tree, else the folder that was named.
    """
    named = getattr(options, "root", "")
    if named and not Path(named).exists():
        raise CliError(f"There is no folder {named}.", "Name the workspace with --root DIR.")
    start = str(Path(named or ".").absolute())
    return Surroundings.of_process(find_root(start) or start)


def selected_clients(options: Namespace) -> list[Client]:
    """Returns the clients of ``--client``, in the order of the registry; none where it was not
    given.
    """
    names = options.clients
    return [c for c in CLIENTS.values() if c.name in names or ALL in names]


def has_tree(around: Surroundings) -> bool:
    """Returns whether the project of the clients that a command is about has a tree."""
    return find_root(str(around.root)) == str(around.root)


def show_changes(changes: Sequence[SettingsChange], console: Console, *, dry_run: bool) -> None:
    """Shows the changes of client settings as a diff, or what was done to which file."""
    if dry_run:
        for change in changes:
            show_text_diff(change.diff, console)
        return
    rows: list[list[Part]] = []
    for change in changes:
        titles = ", ".join(CLIENTS[name].title for name in change.clients)
        done = _ACTION_WORDS.get(change.action, "changed")
        rows.append([done, Styled(change.name, "name"), Styled(titles, "dim")])
    print_table(rows, console)


def follow_hook(around: Surroundings) -> list[str]:
    """Has files that `synapse sync` keeps hold the rules only for clients that do not call the
    hook, which may have changed; returns a sentence for each.
    """
    from synapse_ls.setup.init.source_replacement import waiting_domains
    from synapse_ls.setup.install.settings_backup import load_record
    from synapse_ls.setup.sync.file_changes import write_changes
    from synapse_ls.setup.sync.sync_plan import (
        load_plan_tree,
        note_without_rules,
        plan_other_kind,
    )

    if not has_tree(around):
        return []
    notes = []
    for change in write_changes(around.root, plan_other_kind(around.root)):
        if _says_where(change.after):
            notes.append(f"{change.path} only says where the rules are, which the hook brings")
            if without := note_without_rules(around.root, change.target.split("+")):
                notes.append(f"{change.path} {without}")
        else:
            notes.append(
                f"{change.path} holds the rules again: the hook does not bring them any more"
            )
            if load_record(change.real) is None:
                notes.append(
                    f"no copy of {change.path} from before `synapse init --replace-adopted` is kept on "
                    "this computer; version control may have one"
                )
            if waiting := waiting_domains(load_plan_tree(around.root)):
                lost = f"has no rule of {waiting}, which only a hook can tell when they apply"
                notes.append(f"{change.path} {lost}")
    return notes


def _says_where(data: bytes | None) -> bool:
    """Tells whether a file only says where the rules are."""
    from synapse_ls.formats.managed_block import HOOK, parse

    found = parse((data or b"").decode("utf-8", "replace")).document
    return found is None or found.kind == HOOK


def changes_report(changes: Sequence[SettingsChange]) -> list[dict[str, Any]]:
    """Returns the changes of client settings as data."""
    return [
        {
            "path": change.name,
            "file": str(change.file),
            "clients": list(change.clients),
            "scope": change.scope,
            "action": change.action,
            "diff": change.diff,
            "backup": _backup_path(change),
        }
        for change in changes
    ]


def _backup_path(change: SettingsChange) -> str:
    backup = backup_path(change.file)
    return str(backup) if backup.exists() else ""


def check_client(name: str) -> None:
    """Raises CliError where the option for an agent client names one that nobody knows; "" is any."""
    if name and hosts.load_client(name) is None:
        names = ", ".join(sorted(hosts.HOOK_CLIENTS))
        raise CliError(f'There is no client "{name}".', f"Choose one of {names}.")
