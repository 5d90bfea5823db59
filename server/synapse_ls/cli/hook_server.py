"""This module is ``synapse hook-server``, as people meet it: its help.

A client's call never comes here: ``__main__`` sends it straight to the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.command_parser import ChoiceType, render_help
from synapse_ls.cli.command_table import Command
from synapse_ls.integrations.client_definition import USER
from synapse_ls.integrations.settings_registry import CLIENTS

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console

_ABLE = tuple(client.name for client in CLIENTS.values() if client.tool_hooks is not None)


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--client",
        metavar="NAME",
        type=ChoiceType(_ABLE),
        default=None,
        help=f"the client whose dialect it speaks: {', '.join(_ABLE)}",
    )
    parser.add_argument(
        "--scope",
        metavar="NAME",
        choices=(USER,),
        default="",
        help="user: serve only trees that this person trusts",
    )


def _run(_: Namespace, console: Console) -> int:
    console.help(render_help("hook-server"))
    return 0


HOOK_SERVER = Command(
    description="""\
Some agent clients can call a tool of a server in the place of starting a hook for each event. They start this
server once, over standard input and output (Model Context Protocol), and end it. It has one tool, which is for the
client alone, and answers each event as `synapse hook` does, from the same sessions; plans of trees stay in memory.

`synapse install --via mcp` registers it; docs/clients.md says when that pays.""",
    examples=(
        ("Register it", "synapse install --client claude --via mcp"),
        ("What a client starts", "synapse hook-server --client claude"),
    ),
    arguments=_add_arguments,
    run=_run,
)  # fmt: skip
