"""This module is ``synapse serve``: the language server (LSP), on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.command_parser import render_help
from synapse_ls.cli.command_table import Command
from synapse_ls.text.lazy_import import load_module

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help="the default; editors that name the channel say so"
    )


def _run(options: Namespace, console: Console) -> int:
    import os

    if os.isatty(0) and not options.stdio:
        console.help(render_help("serve"))
        return 0
    # By name, so that no other command ever imports what only this one needs.
    code: int = load_module("synapse_ls.lsp.stdio_server").serve_stdio()
    return code


SERVE = Command(
    description="""\
Speaks the Language Server Protocol with an editor, which starts it and ends it. Findings appear while
you type, a hover shows what a line brings into the block and what it costs, and the block itself
follows the session that is running. docs/protocol.md has the methods beyond the standard.

It ends with exit code 0 after `shutdown` and `exit`, and with 1 where the editor just vanishes.""",
    examples=(
        ("What an editor starts", "synapse serve --stdio"),
        ("With everything that it logs, on standard error", "SYNAPSE_DEBUG=1 synapse serve --stdio"),
    ),
    arguments=_add_arguments,
    run=_run,
)  # fmt: skip
