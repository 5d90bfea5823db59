"""Codex: what its rollout file says of the window and of hook replies.

``~/.codex/sessions/{date}/rollout-….jsonl``, records ``{timestamp, type, payload}``. The client
tells the window itself. Cached tokens are part of the input tokens.
"""

from __future__ import annotations

from synapse_ls.hosts import models
from synapse_ls.hosts.transcripts import arrival
from synapse_ls.hosts.transcripts.arrival import NOTHING, Sight
from synapse_ls.hosts.transcripts.tail import count, lines_backward, record, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

ORIGIN: Final = "Codex's rollout file"
# How messages begin that the client itself puts before the model.
OWN: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
)


def usage(path: str, model: str = "") -> dict[str, object] | None:
    """Tokens in use and the window's size, from the last model call.

    After a compaction the client counts anew; until it has written that, None. ``model`` is the id
    that the event names: the file names it seldom.
    """
    for line in lines_backward(path):
        if b"token_count" in line:
            found = record(line)
            used, window = figures_of(found)
            if used:
                size = window or models.window_of(model)
                return {"used": used, "window": size, "model": model, "origin": ORIGIN}
        elif is_compaction(line):
            return None
    return None


def figures_of(found: dict[str, Any]) -> tuple[int, int]:
    """Tokens in use and the window of a ``token_count``; zeros where it does not tell.

    Right after a compaction the client estimates the total only.
    """
    if found.get("type") != "event_msg" or table(found, "payload").get("type") != "token_count":
        return 0, 0
    info = table(found, "payload", "info")
    last = table(info, "last_token_usage")
    used = count(last.get("input_tokens")) or count(last.get("total_tokens"))
    return used, count(info.get("model_context_window"))


def is_compaction(line: bytes) -> bool:
    """Whether a line tells that the history was replaced by a summary."""
    if b'"compacted"' in line:
        return record(line).get("type") == "compacted"
    if b'"context_compacted"' in line:
        return table(record(line), "payload").get("type") == "context_compacted"
    return False


def arrived(path: str, told: str, since: str = "") -> bool | None:
    """Whether the model was shown the reply whose `text_hash` is ``told`` (see `arrival`)."""
    return arrival.arrived(lines_backward(path), _look, told, since)


def _look(line: bytes) -> Sight:
    if is_compaction(line):
        return Sight(arrival.BOUNDARY)
    if b'"message"' not in line and b'"user_message"' not in line:
        return NOTHING
    found = record(line)
    payload, time = table(found, "payload"), found.get("timestamp")
    if payload.get("type") == "user_message" and found.get("type") == "event_msg":
        return Sight(arrival.PROMPT, time=time)
    if payload.get("role") == "user":
        own = any(text.lstrip().startswith(OWN) for text in texts_of(payload))
        return NOTHING if own else Sight(arrival.PROMPT, time=time)
    if payload.get("role") == "developer":
        return Sight(arrival.OTHER, texts_of(payload), time)
    if payload.get("role") == "assistant":
        return Sight(arrival.ANSWER, time=time)
    return NOTHING


def texts_of(payload: dict[str, Any]) -> tuple[str, ...]:
    """The texts of a message, and all of them as one."""
    content = payload.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = tuple(text for part in parts if isinstance(text := table(part).get("text"), str))
    return texts if len(texts) < 2 else (*texts, "\n".join(texts))
