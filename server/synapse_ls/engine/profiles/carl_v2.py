"""The ``carl-v2`` profile: ``carl`` with the brackets of CARL v2, which begin at 70, 40 and 15 percent.

The block is told again every five prompts.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.engine.profiles import carl

PROFILE: dict[str, Any] = {
    **carl.PROFILE,
    "name": "carl-v2",
    "brackets": carl.brackets((70, 40, 15), 5),
}
