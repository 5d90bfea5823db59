"""This module estimates tokens in the unit of budgets: a token is four characters.

SYNAPSE Context Brackets and ADR-001 estimate a token as four characters. The estimate is
counted in code points and rounded up, in integers, so that every client arrives at the same
number.
"""

from __future__ import annotations

CHARS_PER_TOKEN = 4


def tokens_of_length(chars: int) -> int:
    """Estimates the tokens that a text of ``chars`` code points counts for."""
    return -(-chars // CHARS_PER_TOKEN)


def estimate_tokens(text: str) -> int:
    """Estimates the tokens that ``text`` counts for."""
    return tokens_of_length(len(text))
