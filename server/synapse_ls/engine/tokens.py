"""The unit in which budgets are counted.

SYNAPSE Context Brackets and ADR-001 estimate a token as four characters. The estimate is counted
in code points and rounded up, in integers, so that every client arrives at the same number.
"""

from __future__ import annotations

CHARS_PER_TOKEN = 4


def tokens_of(chars: int) -> int:
    """Tokens that a text of ``chars`` code points counts for."""
    return -(-chars // CHARS_PER_TOKEN)


def estimate(text: str) -> int:
    """Tokens that ``text`` counts for."""
    return tokens_of(len(text))
