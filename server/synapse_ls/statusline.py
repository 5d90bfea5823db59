"""Print Claude Code's status line, run as ``python -I -S …/synapse_ls/statusline.py``.

As short as possible, since Python does not cache the bytecode of a main script.
"""

import sys

sys.path.append(__file__.rpartition("synapse_ls")[0])

from synapse_ls.storage.bytecode_bundle import run_alone

run_alone("synapse_ls.hooks.status_line")
