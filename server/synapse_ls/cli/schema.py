"""This module is ``synapse schema``: it prints the JSON Schema of a format, for editors and other
programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.command_parser import ChoiceType
from synapse_ls.cli.command_table import Command
from synapse_ls.formats.json_schema import SCHEMAS

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console


def _add_arguments(parser: Parser) -> None:
    names = list(SCHEMAS)
    parser.add_argument(
        "name",
        metavar="NAME",
        type=ChoiceType(names),
        help=f"{', '.join(names[:-1])} or {names[-1]}",
    )


def _run(options: Namespace, console: Console) -> int:
    console.json(SCHEMAS[options.name]())
    return 0


SCHEMA = Command(
    description="""\
The JSON Schema (draft 7) of .synapse/config.toml, of squad.yaml, of workflow state files or of the
tests of a tree. Editors complete and check such files by it where no language server does.""",
    examples=(
        ("For an editor", "synapse schema config > .vscode/synapse-config.schema.json"),
        ("What does lint.severity take?", "synapse schema config | jq .properties.lint.properties.severity"),
    ),
    arguments=_add_arguments,
    run=_run,
)  # fmt: skip
