"""The composition root: an agent's hook event straight to the service, everything else to the CLI."""

from __future__ import annotations

import os
import sys

from synapse_ls.bytecode import run

FOR_CLIENTS = ("hook", "statusline")
# What a person says to a command that clients call; a client says none of it.
FOR_PEOPLE = frozenset(("-h", "--help", "--print-settings"))


def main() -> int:
    """Answer the command line; the exit code."""
    arguments = sys.argv[1:]
    name = arguments[0] if arguments else ""
    if name in FOR_CLIENTS and not (FOR_PEOPLE.intersection(arguments) or os.isatty(0)):
        return run(f"synapse_ls.service.{name}", arguments[1:])
    from synapse_ls.cli.main import main as cli

    return cli(arguments)


if __name__ == "__main__":
    sys.exit(main())
