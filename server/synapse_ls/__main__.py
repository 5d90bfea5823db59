"""The composition root: an agent's hook event straight to the service, everything else to the CLI."""

from __future__ import annotations

import os
import sys

# What a person says to ``synapse hook``; an agent client says none of it.
FOR_PEOPLE = frozenset(("-h", "--help", "--print-settings"))


def main() -> int:
    """Answer the command line; the exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not (FOR_PEOPLE.intersection(arguments) or os.isatty(0)):
        from synapse_ls.service.hook import main as hook

        return hook(arguments[1:])
    from synapse_ls.cli.main import main as cli

    return cli(arguments)


if __name__ == "__main__":
    sys.exit(main())
