"""This process runs a server of a program with its own streams, and ends when the server and all that it has
started have ended.

    PYTHON -m tests.compare.server_host FOLDER ARGUMENT …

PYTHON is the interpreter of that program, FOLDER where the server works.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tests.hostile.forked_commands import adopt_orphans, wait_for_descendants

SECONDS = 60.0  # that what it has started may take after its end


def main() -> int:
    """Runs the server; its exit code."""
    adopt_orphans()
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "synapse_ls", *sys.argv[2:]]
    code = subprocess.run(command, cwd=sys.argv[1], env=environment).returncode
    if not wait_for_descendants(SECONDS):
        print("(what it has started does not end)", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
