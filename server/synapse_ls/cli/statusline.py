"""This module is ``synapse statusline``, as people meet it: its help.

The client's call never comes here: ``__main__`` sends it straight to the hook's status line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.command_parser import render_help
from synapse_ls.cli.command_table import Command

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--then",
        metavar="COMMAND",
        default="",
        help="another status line: it gets the same input, and its lines are shown first",
    )


def _run(options: Namespace, console: Console) -> int:  # noqa: ARG001
    # A person, or a client with a terminal: to that one, standard output must stay empty.
    console.help(render_help("statusline"))
    return 0


STATUSLINE = Command(
    description="""\
Claude Code calls this whenever its status line is due: it writes the state of the session to
standard input as JSON and shows the line that comes back: the bracket, what is left of the context
window, the active agent, and how many tokens of rules the next prompt would bring. The size of the
window and what is used of it are noted in the session, where the next hook finds them. It always
exits with 0 and a line; what goes wrong is in hook.log in the cache folder.

To register it, put {"statusLine": {"type": "command", "command": "synapse statusline"}} into
.claude/settings.json. If you have a status line already, keep it with --then.""",
    examples=(
        ("What would it show?", "echo '{\"context_window\": {\"context_window_size\": 200000, \"used_percentage\": 62}}' | synapse statusline"),
        ("Beside the status line that you have", "synapse statusline --then ~/.claude/statusline.sh"),
    ),
    arguments=_add_arguments,
    run=_run,
)  # fmt: skip
