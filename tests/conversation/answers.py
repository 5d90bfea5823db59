"""Reads the answers of ``*synapse …`` in a block."""

from __future__ import annotations


def told(block: str) -> list[str]:
    """The lines of the section, [] where there is none."""
    parts = block.split("\n\n")
    return next((part.splitlines() for part in parts if part.startswith("[SYNAPSE]")), [])
