"""This module answers from the sources what could not be answered because bytecode is damaged. Where
it is imported, no bytecode is read any more.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def run_from_sources(*modules: str) -> NoReturn:
    """Does what `run_alone` does, with modules of this package that are imported anew."""
    for name in [name for name in sys.modules if name.startswith("synapse_ls")]:
        del sys.modules[name]
    from synapse_ls.storage.bytecode_bundle import run_alone

    run_alone(*modules)
