"""This module says what a planned change does to a file: create, change, remove or none."""

from __future__ import annotations

CREATE, CHANGE, REMOVE, NONE = "create", "change", "remove", "none"


def file_action(before: bytes | None, after: bytes | None) -> str:
    """Returns one of create, change, remove and none; None where there is no file."""
    if before == after:
        return NONE
    if before is None:
        return CREATE
    return REMOVE if after is None else CHANGE
