"""This module is ``synapse rename``: it renames a domain, an agent, a workflow, a squad, a
command or a task wherever the tree names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.command_parser import ChoiceType
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.shared_options import root_of
from synapse_ls.cli.tree_changes import add_dry_run_option, apply_or_show
from synapse_ls.workspace.load_scope import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console

_KINDS = ("domain", "agent", "workflow", "squad", "command", "task")


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("kind", metavar="KIND", type=ChoiceType(_KINDS), help=", ".join(_KINDS))
    parser.add_argument("name", metavar="NAME", help="what it is called now, in any spelling")
    parser.add_argument("new", metavar="NEW", help="its new name, in kebab-case")
    add_dry_run_option(parser)


def _run(options: Namespace, console: Console) -> int:
    from synapse_ls.edits.rename_plans import RENAMES

    root = root_of(options)
    tree = Tree(load_tree(root, LoadScope.ALL).index.snapshot())
    plan = RENAMES[options.kind](tree, options.name.lstrip("@*"), options.new.lstrip("@*"))
    return apply_or_show(root, plan, options, console)


RENAME = Command(
    description="""\
Renames a domain, an agent, a workflow, a squad, a star-command or a task: where it is defined, in
everything that refers to it, in what rules say of it, and as a file or folder. All of it is written,
or nothing. It is what the rename of an editor does.""",
    examples=(
        ("Look first", "synapse rename agent dev builder --dry-run"),
        ("A squad, with the prefix of its domains", "synapse rename squad etl-squad data-squad"),
    ),
    arguments=_add_arguments,
    run=_run,
)
