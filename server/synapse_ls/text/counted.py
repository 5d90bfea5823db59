"""How many of something, for people."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """``1 rule``, ``2 rules``, ``1,200 rules``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
