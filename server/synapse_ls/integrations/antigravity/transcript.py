"""This module reads the last request from a transcript of Antigravity, which its hook events do
not carry.

``…/.system_generated/logs/transcript.jsonl``, a step per line. It has no figures, and what
hooks add for one model call is written nowhere.
"""

from __future__ import annotations

from synapse_ls.integrations.transcript_tail import lines_backward, parse_record, texts_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_usage(path: str) -> dict[str, object] | None:
    """Returns None for Antigravity: the transcript has no figures."""
    return None


def shows_reply(path: str, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for Antigravity: the transcript does not show what hooks add."""
    return None


def last_prompt(path: str) -> tuple[str, str]:
    """Returns what the person asked last in a transcript of Antigravity and the number of that
    step, which names the turn; ("", "") for none.
    """
    for line in lines_backward(path):
        if b"USER_INPUT" in line:
            found = parse_record(line)
            if text := step_prompt(found):
                return text, str(found.get("step_index", ""))
    return "", ""


def step_prompt(found: dict[str, Any]) -> str:
    """Returns what a person asked in a step of Antigravity, without the metadata that the client
    puts beside it; "" for none.
    """
    content = found.get("content")
    if found.get("type") != "USER_INPUT" or not isinstance(content, str):
        return ""
    if found.get("source") not in (None, "", "USER_EXPLICIT"):
        return ""
    asked = "\n".join(texts_between(content, "<USER_REQUEST>", "</USER_REQUEST>"))
    return (asked or content).strip()
