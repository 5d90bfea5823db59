"""What holds for every test."""

from __future__ import annotations

import signal

from hypothesis import settings

from synapse_ls.__main__ import CONVERSATION
from synapse_ls.text.lazy_import import register_module

# Wall time says more about what else the machine does than about an example. What never ends is
# stopped by pytest's own timeout, and what must be fast is measured where nothing else runs.
settings.register_profile("synapse-ls", deadline=None)
settings.load_profile("synapse-ls")

# As the entry points do.
register_module("conversation", CONVERSATION)

# A shell starts what runs in the background with interrupts ignored, and so would every process that a
# test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
