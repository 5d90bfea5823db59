"""Antigravity: the last request of its transcript, which its hooks are not told.

``…/.system_generated/logs/transcript.jsonl``, a step per line. It has no figures, and what hooks add
for one model call is written nowhere.
"""

from __future__ import annotations

from synapse_ls.hosts.transcripts.arrival import between
from synapse_ls.hosts.transcripts.tail import lines_backward, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def usage(path: str) -> dict[str, object] | None:
    """None: the transcript has no figures."""
    return None


def arrived(path: str, told: str, since: str = "") -> bool | None:
    """None: the transcript does not tell."""
    return None


def last_prompt(path: str) -> tuple[str, str]:
    """What the person asked last and the number of that step, which names the turn; ("", "")."""
    for line in lines_backward(path):
        if b"USER_INPUT" in line:
            found = record(line)
            if text := prompt_of(found):
                return text, str(found.get("step_index", ""))
    return "", ""


def prompt_of(found: dict[str, Any]) -> str:
    """What a person asked in a step, without the metadata that the client puts beside it."""
    content = found.get("content")
    if found.get("type") != "USER_INPUT" or not isinstance(content, str):
        return ""
    if found.get("source") not in (None, "", "USER_EXPLICIT"):
        return ""
    asked = "\n".join(between(content, "<USER_REQUEST>", "</USER_REQUEST>"))
    return (asked or content).strip()
