"""This module says in which order the instances of workflows count."""

from __future__ import annotations

from synapse_ls.text.iso_time import parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.formats.workflow_state import WorkflowState


def state_order(state: WorkflowState, mtime_ns: int, path: str) -> tuple[bool, int, int, str]:
    """Returns the order of workflow instances, what sorts them: active ones first, the newest of
    them first.

    Newest by ``updated_at``, then by the time of the file's last change, then by name.
    """
    return state.status != "active", -(parse_instant(state.updated_at) or 0), -mtime_ns, path
