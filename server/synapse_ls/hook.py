"""Started by agent clients as ``python -I -S …/synapse_ls/hook.py``: as short as can be, because
the bytecode of a main script is not cached."""

import gc
import sys

sys.path.insert(0, __file__.rpartition("synapse_ls")[0] or ".")

from synapse_ls.bytecode import answer

gc.disable()  # the process ends before there is anything to collect
answer("synapse_ls.service.hook", sys.argv[1:])
