"""The entry point: hook events and status lines go to `hooks`, everything else to the CLI."""

import gc
import os
import sys

from synapse_ls.storage.bytecode_bundle import install_bundle

# What answers ``*synapse …`` in a prompt; `hooks` cannot name it, since it asks packages
# above them.
CONVERSATION = "synapse_ls.conversation.synapse_commands"
CLIENT_COMMANDS = {
    "hook": ("synapse_ls.hooks.hook_command", CONVERSATION),
    "hook-server": ("synapse_ls.hooks.hook_server", CONVERSATION),
    "statusline": ("synapse_ls.hooks.status_line",),
}
# Those whose process ends when it has answered once.
ONE_ANSWER = ("hook", "statusline")
# What a person says to a command that clients call; a client says none of it.
PERSON_OPTIONS = frozenset(("-h", "--help", "--print-settings"))


def main() -> int:
    """Run the command line and return its exit code."""
    arguments = sys.argv[1:]
    name = arguments[0] if arguments else ""
    if name in CLIENT_COMMANDS and not (PERSON_OPTIONS.intersection(arguments) or os.isatty(0)):
        module, *more = CLIENT_COMMANDS[name]
        bundle = install_bundle(loads_ahead=name in ONE_ANSWER)
        from synapse_ls.storage.program_start import run_and_exit, run_bundled

        if name not in ONE_ANSWER:
            return run_bundled(bundle, module, arguments[1:], *more)
        gc.disable()  # the process ends before there is anything to collect
        run_and_exit(bundle, module, arguments[1:], *more)
    gc.set_threshold(100_000)  # nearly all that a command makes is needed until it ends
    from synapse_ls.cli.main import main as cli
    from synapse_ls.text.lazy_import import register_module

    register_module("conversation", CONVERSATION)

    code = cli(arguments)
    gc.freeze()  # the end of the process need not look through all of it for cycles
    return code


if __name__ == "__main__":
    sys.exit(main())
