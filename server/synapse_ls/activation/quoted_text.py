"""This module quotes words that somebody else wrote, as they may stand in a greeting."""

from __future__ import annotations

from synapse_ls.engine.text_escaping import neutralise_text


def quote_line(text: str, most: int = 200) -> str:
    """Returns ``text`` as one harmless line of at most so many characters."""
    told = neutralise_text(text)
    return told if len(told) <= most else told[: most - 1] + "…"
