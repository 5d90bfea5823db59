"""``synapse serve``: the language server, on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.parser import page
from synapse_ls.text.lazy import load

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help="the default; editors that name the channel say so"
    )


def _run(options: Namespace, console: Console) -> int:
    import os

    if os.isatty(0) and not options.stdio:
        console.help(page("serve"))
        return 0
    # By name, so that no other command ever imports what only this one needs.
    code: int = load("synapse_ls.lsp.serve").serve()
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
    arguments=_arguments,
    run=_run,
)  # fmt: skip
