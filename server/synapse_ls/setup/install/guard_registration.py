"""This module decides whether the hook is registered for the guard, to be asked before tools are
used.
"""

from __future__ import annotations

from synapse_ls.guard.agent_action import ENFORCE, OFF
from synapse_ls.integrations.client_definition import PROJECT, Client, Surroundings
from synapse_ls.setup.tree_configuration import read_configuration


def tree_guard_mode(around: Surroundings) -> str:
    """Returns the guard mode of the project's tree by which the hook is registered; that of a new
    tree where there is none.
    """
    return read_configuration(around.root).config.guard.mode


def asks_guard(client: Client, scope: str, around: Surroundings) -> bool:
    """Tells whether the hook is registered for the guard where nobody said so: unless the guard is
    off, and in shared settings that could cost others their tools only where it is enforced.
    """
    mode = tree_guard_mode(around)
    is_risky = scope == PROJECT and client.may_refuse_without_hook
    return mode == ENFORCE if is_risky else mode != OFF
