"""This module formats a count with its noun in the singular or plural, for messages to people."""

from __future__ import annotations


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Returns ``1 rule``, ``2 rules`` or ``1,200 rules``; ``plural`` is for nouns that take more
    than an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
