"""This module reads nothing: agent transcripts of Cursor have neither usage figures nor what
hooks add.

``~/.cursor/projects/{project}/agent-transcripts/{session}/{session}.jsonl``. Figures come
with the events ``preCompact``, ``stop`` and ``afterAgentResponse``.
"""

from __future__ import annotations


def read_usage(path: str) -> dict[str, object] | None:
    """Returns None for Cursor: the transcript has no figures."""
    return None


def shows_reply(path: str, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for Cursor: the transcript does not show what hooks add."""
    return None
