"""This module gives ``os``: that of Python where the process has it already, as any has that was
started without ``-S``; else a light one.

``import os`` makes two dozen abstract classes, of which a hook uses none: a fifth of what its
interpreter takes to start.
"""

from __future__ import annotations

import sys

from synapse_ls.text.lazy_import import load_module

__all__ = ["os"]

TYPE_CHECKING = False
if TYPE_CHECKING or "os" in sys.modules or sys.platform == "win32":
    import os
else:
    try:
        os = load_module("synapse_ls.workspace.posix_calls")
    except ImportError:  # in a Python that has them elsewhere
        import os
