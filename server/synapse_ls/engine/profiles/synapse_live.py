"""The ``synapse-live`` profile: ``synapse`` with every triggered layer awake in every bracket.

On a large window FRESH can last for hundreds of thousands of tokens; a workflow, a task, a squad
or a keyword that is at hand should not sleep that long. Budgets stay as they are.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.engine.profiles import synapse

PROFILE: dict[str, Any] = {
    **synapse.PROFILE,
    "name": "synapse-live",
    "brackets": tuple({**row, "layers": synapse.ALL} for row in synapse.PROFILE["brackets"]),
}
