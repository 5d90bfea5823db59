"""``synapse serve``, ``mcp`` and ``statusline``: commands that editors and agent clients start."""

import os
from argparse import Namespace

from synapse_ls.cli.command_parser import render_help
from synapse_ls.cli.command_table import command, option, switch
from synapse_ls.cli.console import Console
from synapse_ls.setup.mcp_sdk import INSTALL_REMEDY, sdk_problem
from synapse_ls.text.lazy_import import load_module
from synapse_ls.text.user_error import UserError


@command(switch("--stdio", "the default; editors that name the channel say so"))
def run_serve(options: Namespace, console: Console) -> int:
    """Speaks the Language Server Protocol with an editor, which starts it and ends it. Findings
    appear while you type, a hover shows what a line adds to the block and what it costs, and
    the block itself follows the session that is running. docs/protocol.md has the methods beyond
    the standard.

    It ends with exit code 0 after `shutdown` and `exit`, and with 1 where the editor just
    vanishes.

    Examples:

    # What an editor starts
    $ synapse serve --stdio

    # With everything that it logs, on standard error
    $ SYNAPSE_DEBUG=1 synapse serve --stdio
    """
    if os.isatty(0) and not options.stdio:
        console.help(render_help("serve"))
        return 0
    # By name, so that no other command ever imports what only this one needs.
    return int(load_module("synapse_ls.lsp.stdio_server").serve_stdio())


@command(switch("--stdio", "the default; clients that name the channel say so"))
def run_mcp(options: Namespace, console: Console) -> int:
    """Speaks the Model Context Protocol with an agent client, which starts it and ends it. The
    block of a prompt and what is left out are tools, star-commands are prompts, layers and domains
    are resources that report when they change. docs/mcp.md has all of them, and `synapse install
    --mcp` registers it.

    One server is about one tree: that of --root, else of the working directory, else of a folder
    that the client works in. A tree that comes later is served then. It needs the SDK: `pipx
    install --force "FOLDER[mcp]"`, with the folder of the checkout.

    Examples:

    # What a client starts
    $ synapse mcp

    # For the tree of another folder, with everything that it logs
    $ SYNAPSE_DEBUG=1 synapse mcp --root ~/shop
    """
    if problem := sdk_problem():
        raise UserError(problem, INSTALL_REMEDY)
    if os.isatty(0) and not options.stdio:
        console.help(render_help("mcp"))
        return 0
    # By name, so that no other command ever imports what only this one needs.
    return int(load_module("synapse_ls.mcp.server").serve_stdio(getattr(options, "root", "")))


@command(
    option(
        "--then COMMAND",
        "another status line: it gets the same input, and its lines are shown first",
    )
)
def run_statusline(_: Namespace, console: Console) -> None:
    """Claude Code calls this whenever it draws its status line. It writes the state of the session
    to standard input as JSON and shows the line that comes back. The line has the bracket, what is
    left of the context window, the active agent, and how many tokens of rules the next prompt would
    inject. The size of the window and what is used of it are noted in the session, where the next
    hook finds them. It always exits with 0 and a line; what goes wrong is in hook.log in the cache
    folder.

    To register it, put {"statusLine": {"type": "command", "command": "synapse statusline"}} into
    .claude/settings.json. If you have a status line already, keep it with --then.

    Examples:

    # What would it show?
    $ echo '{}' | synapse statusline

    # Beside the status line that you have
    $ synapse statusline --then ~/.claude/statusline.sh
    """
    # A person, or a client with a terminal: to that one, standard output must stay empty.
    console.help(render_help("statusline"))
