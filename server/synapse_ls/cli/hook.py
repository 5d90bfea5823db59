"""``synapse hook`` and ``synapse hook-server``: their help, and the settings that call the hook."""

from argparse import Namespace

from synapse_ls.cli import client_options, command_parser
from synapse_ls.cli.command_table import command, option, switch
from synapse_ls.cli.console import Console
from synapse_ls.integrations import client_registry, hook_event
from synapse_ls.integrations.client_settings import LOCAL, USER
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install.settings_merge import add_hooks
from synapse_ls.setup.tree_configuration import asks_guard
from synapse_ls.text.user_error import UserError

KINDS = tuple(dict.fromkeys(hook_event.KINDS_BY_NAME.values()))


@command(
    option(
        "--event NAME",
        f"the event, where the client does not say it: its own name, or one of {', '.join(KINDS)}",
    ),
    option(
        "--client NAME",
        "the client, where neither its environment nor the event says it: {}",
        choices=client_registry.HOOK_CLIENTS,
    ),
    switch(
        "--print-settings",
        "print what `synapse install --scope local` would write into an empty settings file "
        "(`--scope user` for a client that has no such scope), and exit",
    ),
)
def run_hook(options: Namespace, console: Console) -> None:
    """An agent client calls this for each event: it writes the event to standard input as JSON and
    reads the reply, also JSON, from standard output. The reply has the rules that apply and are
    not in context yet; what is in context is kept in the session. It never fails a prompt:
    whatever goes wrong, the exit code is 0, the reply is at least {}, and the reason is in
    hook.log in the cache folder.

    The client is recognised by its environment and by what its events look like, and it is
    answered in its own dialect. One that nobody has described (other) gets an object that most of
    them understand.

    `synapse install` registers it with the clients.

    Examples:

    # What is in settings that call it?
    $ synapse hook --print-settings --client gemini

    # What would it answer?
    $ echo '{"prompt": "Add a unit test"}' | synapse hook --event prompt

    # And in the dialect of Copilot?
    $ echo '{"prompt": "Add a unit test"}' | synapse hook --event prompt --client copilot
    """
    if options.print_settings:
        if (client := CLIENTS.get(options.client or "claude")) is None:
            raise UserError(
                f'There are no settings for "{options.client}".',
                f"Name one of {', '.join(CLIENTS)}.",
            )
        place = client.place(LOCAL) or client.place(USER)
        assert place is not None
        guarded = asks_guard(client, place.scope, client_options.find_surroundings(options))
        console.write(add_hooks(client.with_guard(guarded), place, "", place.path))
        return
    # A person, or a client with a terminal: to that one, standard output must stay empty.
    console.help(command_parser.render_help("hook"))


_ABLE = tuple(client.name for client in CLIENTS.values() if client.tool_hooks is not None)


@command(
    option("--client NAME", "the client whose dialect it speaks: {}", choices=_ABLE),
    option("--scope NAME", "user: serve only trees that this person trusts", choices=(USER,)),
)
def run_server(_: Namespace, console: Console) -> None:
    """Some agent clients can call a tool of a server in the place of starting a hook for each
    event. They start this server once, over standard input and output (Model Context Protocol), and
    end it. It has one tool, which is for the client alone, and answers each event as `synapse hook`
    does, from the same sessions; plans of trees stay in memory.

    `synapse install --via mcp` registers it; docs/clients.md says when that pays.

    Examples:

    # Register it
    $ synapse install --client claude --via mcp

    # What a client starts
    $ synapse hook-server --client claude
    """
    console.help(command_parser.render_help("hook-server"))
