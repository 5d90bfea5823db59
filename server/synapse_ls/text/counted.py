"""How many of something, for people."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 rule``, ``2 rules``, ``1,200 rules``; ``plural`` is for nouns that take more than an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
