"""``synapse schema``: print the JSON Schema of a format, for editors and other programs."""

from argparse import Namespace

from synapse_ls.cli.command_table import command, option
from synapse_ls.cli.console import Console
from synapse_ls.formats.json_schema import SCHEMAS


@command(option("name NAME", "{}", choices=SCHEMAS))
def run(options: Namespace, console: Console) -> None:
    """The JSON Schema (draft 7) of .synapse/config.toml, of squad.yaml, of workflow state files or
    of the tests of a tree. Editors complete and check such files by it where no language server
    does.

    Examples:

    # For an editor
    $ synapse schema config > .vscode/synapse-config.schema.json

    # What does lint.severity take?
    $ synapse schema config | jq .properties.lint.properties.severity
    """
    console.json(SCHEMAS[options.name]())
