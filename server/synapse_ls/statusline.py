"""This script prints Claude Code's status line. Claude Code starts it as ``python -I -S
…/synapse_ls/statusline.py``.

It is as short as can be, because the bytecode of a main script is not cached.
"""

import sys

sys.path.append(__file__.rpartition("synapse_ls")[0])

from synapse_ls.storage.bytecode_bundle import run_alone

run_alone("synapse_ls.hooks.status_line")
