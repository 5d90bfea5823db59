"""This module finds the name by which this program was called, and writes it into the commands that
a text says to type.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PROGRAM, LONG_PROGRAM = "synapse", "synapse-ls"
_CALL = re.compile(rf"(?:(?<=`)|(?<=  )|(?<=\$ )){PROGRAM}(?=`| [\w<-])")


def name_program(text: str) -> str:
    """Puts the name by which this program was called into the commands that a text says to type:
    where another ``synapse`` is installed, ours has a longer name.
    """
    called = Path(sys.argv[0]).name.removesuffix(".exe")
    return _CALL.sub(LONG_PROGRAM, text) if called == LONG_PROGRAM else text
