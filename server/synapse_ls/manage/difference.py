"""What a planned change does to a file."""

from __future__ import annotations

CREATE, CHANGE, REMOVE, NONE = "create", "change", "remove", "none"


def action_of(before: bytes | None, after: bytes | None) -> str:
    """One of create, change, remove and none; None where there is no file."""
    if before == after:
        return NONE
    if before is None:
        return CREATE
    return REMOVE if after is None else CHANGE
