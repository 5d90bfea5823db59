"""Started by Claude Code as ``python -I -S …/synapse_ls/statusline.py``: as short as can be, because
the bytecode of a main script is not cached."""

import sys

sys.path.insert(0, __file__.rpartition("synapse_ls")[0] or ".")

from synapse_ls.bytecode import answer

answer("synapse_ls.service.statusline", sys.argv[1:])
