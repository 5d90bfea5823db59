"""Cursor: its agent transcripts have neither figures nor what hooks add.

``~/.cursor/projects/{project}/agent-transcripts/{session}/{session}.jsonl``. Figures come with the
events ``preCompact``, ``stop`` and ``afterAgentResponse``.
"""

from __future__ import annotations


def usage(path: str) -> dict[str, object] | None:
    """None: the transcript has no figures."""
    return None


def arrived(path: str, told: str, since: str = "") -> bool | None:
    """None: the transcript does not tell."""
    return None
