"""How old this process is, and so how long somebody has waited for it."""

from __future__ import annotations

import os
import time

from synapse_ls.workspace.regular_files import read_beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_STAT_BYTES: Final = 4096
_START_FIELD: Final = 19
"""Where a process's line in ``/proc`` has when it began, after its name (field 22 of proc(5))."""


def process_age() -> float:
    """Return how many seconds this process has been there, as its user sees it: by the clock where
    the system says when it began (Linux, to 10 ms), else by the processor's time.
    """
    used = time.process_time()
    try:
        fields = read_beginning("/proc/self/stat", _STAT_BYTES).rpartition(b")")[2].split()
        began = int(fields[_START_FIELD]) / os.sysconf("SC_CLK_TCK")
        return max(used, time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    except (OSError, ValueError, IndexError, AttributeError):
        return used
