"""Words that somebody else wrote, as they may stand in a greeting."""

from __future__ import annotations

from synapse_ls.engine.escape import neutralise


def quoted(text: str, most: int = 200) -> str:
    """``text`` as one harmless line of at most so many characters."""
    told = neutralise(text)
    return told if len(told) <= most else told[: most - 1] + "…"
