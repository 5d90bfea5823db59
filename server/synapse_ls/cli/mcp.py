"""This module is ``synapse mcp``: the server of the Model Context Protocol, on standard input and
output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_parser import render_help
from synapse_ls.cli.command_table import Command
from synapse_ls.text.lazy_import import load_module

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help="the default; clients that name the channel say so"
    )


def _run(options: Namespace, console: Console) -> int:
    import os

    from synapse_ls.setup.mcp_sdk import INSTALL_REMEDY, sdk_problem

    problem = sdk_problem()
    if problem:
        raise CliError(problem, INSTALL_REMEDY)
    if os.isatty(0) and not options.stdio:
        console.help(render_help("mcp"))
        return 0
    # By name, so that no other command ever imports what only this one needs.
    code: int = load_module("synapse_ls.mcp.server").serve_stdio(getattr(options, "root", ""))
    return code


MCP = Command(
    description="""\
Speaks the Model Context Protocol with an agent client, which starts it and ends it: the block of a
prompt and what is left out as tools, star-commands as prompts, layers and domains as resources that
tell when they change. docs/mcp.md has all of them, and `synapse install --mcp` registers it.

One server is about one tree: that of --root, else of the working directory, else of a folder that the
client works in. A tree that comes later is served then. It needs the
SDK: `pipx install --force "FOLDER[mcp]"`, with the folder of the checkout.""",
    examples=(
        ("What a client starts", "synapse mcp"),
        ("For the tree of another folder, with everything that it logs", "SYNAPSE_DEBUG=1 synapse mcp --root ~/shop"),
    ),
    arguments=_add_arguments,
    run=_run,
)  # fmt: skip
