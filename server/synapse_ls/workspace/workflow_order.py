"""This module says in which order the instances of workflows count."""

from __future__ import annotations

from datetime import UTC, datetime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.formats.workflow_state import WorkflowState


def state_order(state: WorkflowState, mtime_ns: int, path: str) -> tuple[bool, float, int, str]:
    """Returns what sorts instances: active ones first, the newest of them first.

    Newest by ``updated_at``, then by the time of the file's last change, then by name.
    """
    return state.status != "active", -_timestamp_seconds(state.updated_at), -mtime_ns, path


def _timestamp_seconds(stamp: str) -> float:
    """Returns an ISO 8601 time in seconds since 1970, UTC where it names no zone; 0 if it is none."""
    try:
        time = datetime.fromisoformat(stamp)
    except ValueError:
        return 0.0
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
