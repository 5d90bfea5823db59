"""This script answers one hook event. Agent clients start it as ``python -I -S
…/synapse_ls/hook.py``.

It is as short as can be, because the bytecode of a main script is not cached.
"""

import gc
import sys

sys.path.insert(0, __file__.rpartition("synapse_ls")[0] or ".")

from synapse_ls.storage.bytecode_bundle import run_and_exit

gc.disable()  # the process ends before there is anything to collect
run_and_exit(
    "synapse_ls.hooks.hook_command", sys.argv[1:], "synapse_ls.conversation.synapse_commands"
)
