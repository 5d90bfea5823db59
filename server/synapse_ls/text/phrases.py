"""Format a count with its noun in the singular or plural, for messages to people.

This module joins paragraphs of a text, with an empty line between them.
"""

from __future__ import annotations


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 rule``, ``2 rules`` or ``1,200 rules``; ``plural`` is for nouns that take more
    than an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def join_paragraphs(*paragraphs: str) -> str:
    """Join the paragraphs that are not empty, with a blank line between them."""
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
