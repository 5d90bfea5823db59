"""This script prints Claude Code's status line. Claude Code starts it as ``python -I -S
…/synapse_ls/statusline.py``.

It is as short as can be, because the bytecode of a main script is not cached.
"""

import sys

sys.path.insert(0, __file__.rpartition("synapse_ls")[0] or ".")


def run() -> None:
    from synapse_ls.storage.bytecode_bundle import install_bundle

    bundle = install_bundle(loads_ahead=True)
    from synapse_ls.storage.bundled_run import run_and_exit

    run_and_exit(bundle, "synapse_ls.hooks.status_line", sys.argv[1:])


run()
