"""Copilot CLI and the Copilot harness of VS Code: the events of a session.

``~/.copilot/session-state/{session}/events.jsonl``, an event per line. Since 1.0.95 each model call
leaves a ``session.usage_record``, whose input tokens include the cached ones; before, the figures
went to subscribers only and ``session.shutdown`` has what was in the window at the end.
"""

from __future__ import annotations

import os

from synapse_ls.hosts.transcripts import arrival
from synapse_ls.hosts.transcripts.arrival import NOTHING, Sight, between
from synapse_ls.hosts.transcripts.tail import count, lines_backward, record, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

ORIGIN: Final = "Copilot's session events"

_TELLING: Final = (
    b"session.usage_record",
    b"session.usage_info",
    b"session.shutdown",
    b"session.compaction_complete",
    b"session.truncation",
)


def events_path(session_id: str) -> str:
    """Where Copilot keeps the events of a session; "" for an id that is no name of a folder."""
    if not session_id or session_id.startswith(".") or any(c in session_id for c in "/\\\0:"):
        return ""
    home = os.environ.get("COPILOT_HOME") or os.path.join(os.path.expanduser("~"), ".copilot")
    return os.path.join(home, "session-state", session_id, "events.jsonl")


def usage(path: str) -> dict[str, object] | None:
    """Tokens in use and the window's size, as of the last event that tells them.

    None where a compaction has come after it that does not say what it left. What a shutdown says
    is the client's own estimate, and counts where there is nothing else. The client allows less
    than its models do, so that a window it does not tell is None.
    """
    estimate: dict[str, object] | None = None
    for line in lines_backward(path):
        if any(mark in line for mark in _TELLING):
            found = record(line)
            figures = figures_of(found)
            if figures is None:
                continue
            if found.get("type") != "session.shutdown":
                return figures or estimate
            estimate = estimate or figures
    return estimate


def figures_of(found: dict[str, Any]) -> dict[str, object] | None:
    """What an event says of the window; empty where it only says that all before is out of date."""
    kind, data = found.get("type"), table(found, "data")
    model, used, window = "", 0, 0
    if of_sub_agent(found):
        return None
    if kind == "session.usage_record":
        spent = table(data, "usage")
        model = _text(spent.get("model"))
        used, window = count(spent.get("inputTokens")), count(spent.get("maxPromptTokens"))
    elif kind == "session.usage_info":
        used, window = count(data.get("currentTokens")), count(data.get("tokenLimit"))
    elif kind == "session.shutdown":
        model, used = _text(data.get("currentModel")), count(data.get("currentTokens"))
    elif kind == "session.compaction_complete" and data.get("success") is not False:
        used = count(data.get("postCompactionTokens"))
        if not used:
            return {}
    elif kind == "session.truncation":
        used = count(data.get("postTruncationTokensInMessages"))
        window = count(data.get("tokenLimit"))
    if not used:
        return None
    return {"used": used, "window": window or None, "model": model, "origin": ORIGIN}


def of_sub_agent(found: dict[str, Any]) -> bool:
    """Whether an event belongs to a sub-agent, which has a window of its own."""
    spent = table(found, "data", "usage")
    initiator = _text(spent.get("initiator")).lower().replace("-", "")
    return bool(found.get("agentId") or spent.get("agentId")) or initiator == "subagent"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def arrived(path: str, told: str, since: str = "") -> bool | None:
    """Whether the model was shown the reply whose `text_hash` is ``told`` (see `arrival`)."""
    return arrival.arrived(lines_backward(path), _look, told, since)


def _look(line: bytes) -> Sight:
    if b'"user.message"' in line:
        found = record(line)
        if found.get("type") == "user.message" and not of_sub_agent(found):
            kind = arrival.PROMPT if is_prompt(found) else arrival.OTHER
            return Sight(kind, injected(found), found.get("timestamp"))
    elif b'"assistant.message"' in line or b'"assistant.turn_end"' in line:
        found = record(line)
        if str(found.get("type")).startswith("assistant.") and not of_sub_agent(found):
            return Sight(arrival.ANSWER, time=found.get("timestamp"))
    elif b'"session.compaction_complete"' in line:
        found = record(line)
        if table(found, "data").get("success") is not False and not of_sub_agent(found):
            return Sight(arrival.BOUNDARY)
    return NOTHING


def is_prompt(found: dict[str, Any]) -> bool:
    """Whether a ``user.message`` is what somebody asked, not the client's or a skill's own words."""
    return _text(table(found, "data").get("source")) in ("", "user")


def injected(found: dict[str, Any]) -> tuple[str, ...]:
    """The texts of hooks in a ``user.message``; of a session's start it is the message itself."""
    data = table(found, "data")
    sent = _text(data.get("transformedContent")) or _text(data.get("content"))
    texts = tuple(
        text.strip("\n") for text in between(sent, "<system_reminder>", "</system_reminder>")
    )
    own = is_prompt(found) or _text(data.get("source")).startswith("skill")
    return texts if texts or own else (sent,)
