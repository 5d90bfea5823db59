"""``synapse hook``, as people meet it: its help, and the settings that make a client call it.

A client's call never comes here: ``__main__`` sends it straight to the service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.parser import one_of, page
from synapse_ls.manage.settings import CLIENTS, hook_settings

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "--event", metavar="NAME", default="", help="the event, where the client does not say it"
    )
    parser.add_argument(
        "--client",
        metavar="NAME",
        type=one_of(CLIENTS),
        default="claude",
        help=f"the client: {', '.join(CLIENTS)} (default: what its environment says)",
    )
    parser.add_argument(
        "--print-settings",
        action="store_true",
        help="print the settings that register the hook with the client, and exit",
    )


def _run(options: Namespace, console: Console) -> int:
    if options.print_settings:
        console.json(hook_settings(options.client))
        return 0
    # A person, or a client with a terminal: to that one, standard output must stay empty.
    console.help(page("hook"))
    return 0


HOOK = Command(
    description="""\
An agent client calls this for each event: it writes the event to standard input as JSON and reads
the reply, also JSON, from standard output. What the agent still has to be told is in the reply; what
it was told before is remembered in the session. It never fails a prompt: whatever goes wrong, the
exit code is 0, the reply is at least {}, and the reason is in hook.log in the cache folder.

For Claude Code, put what --print-settings prints into .claude/settings.json.""",
    examples=(
        ("Register it with Claude Code (where there are no settings yet)", "mkdir -p .claude && synapse hook --print-settings > .claude/settings.json"),
        ("What would it answer?", "echo '{\"prompt\": \"Add a unit test\"}' | synapse hook --event UserPromptSubmit"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
