"""``synapse uninstall``: agent clients call the hook no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.clients import (
    add_client,
    add_scope,
    named_clients,
    report_of,
    show_changes,
    surroundings,
)
from synapse_ls.cli.commands import Command
from synapse_ls.cli.options import add_format
from synapse_ls.manage.clients.client import SCOPES
from synapse_ls.manage.clients.install import carry_out, plan_uninstall
from synapse_ls.manage.clients.registry import CLIENTS

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


def _arguments(parser: Parser) -> None:
    add_client(parser, everyone="all")
    add_scope(parser, default="all")
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--dry-run", action="store_true", help="show the changes as a diff and write nothing"
    )
    add_format(output)


def _run(options: Namespace, console: Console) -> int:
    around = surroundings(options)
    clients = named_clients(options) or list(CLIENTS.values())
    scopes = (options.scope,) if options.scope else SCOPES
    changes = plan_uninstall(around, clients, scopes)
    files = report_of(changes)
    if not options.dry_run:
        carry_out(changes)
    shared = [c for c in changes if c.name.endswith("hooks/synapse.json")]
    asked = {client.name for client in clients}
    notes = []
    if shared and len(asked & {"vscode", "copilot"}) == 1:
        notes.append("VS Code and GitHub Copilot CLI read the same hook files: it is gone for both")
    if options.format == "json":
        console.json(
            {
                "root": str(around.root),
                "scope": options.scope or "",
                "dry_run": options.dry_run,
                "applied": not options.dry_run,
                "clients": [client.name for client in clients],
                "detected": [],
                "files": files,
                "trusted": None,
                "notes": notes,
                "next": [],
            }
        )
        return 0
    if not changes:
        console.line("Nothing to change: the hook is not registered.")
    show_changes(changes, console, dry_run=options.dry_run)
    for note in notes:
        console.note(note)
    return 0


UNINSTALL = Command(
    description="""\
Takes the hook out of the settings of agent clients, older forms of it included, and the status line
of `synapse install --statusline`. A file that nobody has touched since the installation is again what
it was, to the byte; one that did not exist is gone, and so are folders made for it. Where somebody
has edited it, only our entries go.""",
    examples=(
        ("Every client, every scope", "synapse uninstall"),
        ("What would go?", "synapse uninstall --client claude --scope user --dry-run"),
    ),
    arguments=_arguments,
    run=_run,
)
