"""Options that several commands share: the format of a report and the root of the tree."""

import sys
from argparse import Namespace
from pathlib import Path

from synapse_ls.cli import command_table
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.tree_search_upward import locate_tree

STANDARD_INPUT = "-"
FORMATS = ("text", "json")


FORMAT_OPTION = command_table.option(
    "--format FORMAT", "text (the default) or json", choices=FORMATS, default="text"
)
JSON_LINES_OPTIONS = (
    command_table.option(
        "--format FORMAT",
        "text (the default) or json-lines: an object a line",
        choices=("text", "json-lines"),
        default="text",
    ),
    command_table.switch(
        "--json",
        "the same as --format json-lines",
        action="store_const",
        const="json-lines",
        dest="format",
    ),
)


def format_options(formats: tuple[str, ...]) -> tuple[command_table.Option, command_table.Option]:
    """Return the option ``--format`` with one of several ``formats``, and ``--json`` for that of
    data.
    """
    return (
        command_table.option("--format FORMAT", "{}", choices=formats, default="text"),
        command_table.switch(
            "--json", "the same as --format json", action="store_const", const="json", dest="format"
        ),
    )


def root_of(options: Namespace) -> str:
    """Return the root of the tree that a command is about, by the option that several share."""
    start: str = getattr(options, "root", "")
    if start and not Path(start).exists():
        raise UserError(f"There is no folder {start}.", "Name the workspace with --root DIR.")
    options.tree = locate_tree(start)  # of whose pin the main entry point speaks
    return str(options.tree)


def read_stdin() -> str:
    """Return the text on standard input, "" where it is closed."""
    return decode_text(sys.stdin.buffer.read()).text if sys.stdin is not None else ""
