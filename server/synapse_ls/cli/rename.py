"""``synapse rename``: another name for something, wherever the tree speaks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.options import root_of
from synapse_ls.cli.parser import one_of
from synapse_ls.cli.writing import add_dry_run, carry_out
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

_KINDS = ("domain", "agent", "workflow", "squad", "command", "task")


def _arguments(parser: Parser) -> None:
    parser.add_argument("kind", metavar="KIND", type=one_of(_KINDS), help=", ".join(_KINDS))
    parser.add_argument("name", metavar="NAME", help="what it is called now, in any spelling")
    parser.add_argument("new", metavar="NEW", help="its new name, in kebab-case")
    add_dry_run(parser)


def _run(options: Namespace, console: Console) -> int:
    from synapse_ls.manage.rename import RENAMES

    root = root_of(options)
    tree = Tree(load(root, Scope.ALL).index.snapshot())
    plan = RENAMES[options.kind](tree, options.name.lstrip("@*"), options.new.lstrip("@*"))
    return carry_out(root, plan, options, console)


RENAME = Command(
    description="""\
Renames a domain, an agent, a workflow, a squad, a star-command or a task: where it is defined, in
everything that refers to it, in what rules say of it, and as a file or folder. All of it is written,
or nothing. It is what the rename of an editor does.""",
    examples=(
        ("Look first", "synapse rename agent dev builder --dry-run"),
        ("A squad, with the prefix of its domains", "synapse rename squad etl-squad data-squad"),
    ),
    arguments=_arguments,
    run=_run,
)
