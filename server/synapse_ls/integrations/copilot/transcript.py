"""Read usage of the context window and the replies of hooks from a Copilot session's events, those
of Copilot CLI and of the Copilot harness of VS Code.

``~/.copilot/session-state/{session}/events.jsonl``, an event per line. Since 1.0.95 each
model call leaves a ``session.usage_record``, whose input tokens include the cached ones;
before, the figures went to subscribers only and ``session.shutdown`` has what was in the
window at the end.
"""

from __future__ import annotations

import os

from synapse_ls.integrations import transcript_tail
from synapse_ls.integrations.transcript_tail import (
    Names,
    Record,
    TranscriptLine,
    Usage,
    inner_object,
    lines_backward,
    parse_record,
    string_value,
    texts_between,
    token_count,
)

ORIGIN = "Copilot's session events"

_USAGE_EVENTS = (
    b"session.usage_record",
    b"session.usage_info",
    b"session.shutdown",
    b"session.compaction_complete",
    b"session.truncation",
)
_BRANCH_EVENTS = (
    b'"user.message"', b'"assistant.message"', b'"tool.execution_complete"',
    b'"session.compaction_complete"',
)  # fmt: skip
_GUIDANCE = "hooks:\n"  # behind a tool's result, before what its hooks say
_TIME = "2026-01-31T00:00:00.000Z"


def events_path(session_id: str) -> str:
    """Return where Copilot keeps the events of a session; "" for an id that is no name of a
    folder.
    """
    if not session_id or session_id.startswith(".") or any(c in session_id for c in "/\\\0:"):
        return ""
    home = os.environ.get("COPILOT_HOME") or os.path.join(os.path.expanduser("~"), ".copilot")
    return os.path.join(home, "session-state", session_id, "events.jsonl")


def read_usage(path: str) -> Usage | None:
    """Return tokens in use and the window's size in Copilot, as of the last event that tells them.

    None where a compaction has come after it that does not say what it left. What a shutdown
    says is the client's own estimate, and counts where there is nothing else. The client
    allows less than its models do, so that a window it does not tell is None.
    """
    estimate: Usage | None = None
    for line in lines_backward(path):
        if any(mark in line for mark in _USAGE_EVENTS):
            record = parse_record(line)
            figures = record_usage(record)
            if figures is None:
                continue
            if record.get("type") != "session.shutdown":
                return figures or estimate
            estimate = estimate or figures
    return estimate


def record_usage(record: Record) -> Usage | None:
    """Return what an event of a Copilot session says of the window; None for nothing, and an empty
    object where it only says that all before is out of date.
    """
    kind, data = record.get("type"), inner_object(record, "data")
    model, used, window = "", 0, 0
    if is_of_sub_agent(record):
        return None
    if kind == "session.usage_record":
        spent = inner_object(data, "usage")
        model = string_value(spent.get("model"))
        used, window = (
            token_count(spent.get("inputTokens")),
            token_count(spent.get("maxPromptTokens")),
        )
    elif kind == "session.usage_info":
        used, window = token_count(data.get("currentTokens")), token_count(data.get("tokenLimit"))
    elif kind == "session.shutdown":
        model, used = (
            string_value(data.get("currentModel")),
            token_count(data.get("currentTokens")),
        )
    elif kind == "session.compaction_complete" and data.get("success") is not False:
        used = token_count(data.get("postCompactionTokens"))
        if not used:
            return {}
    elif kind == "session.truncation":
        used = token_count(data.get("postTruncationTokensInMessages"))
        window = token_count(data.get("tokenLimit"))
    if not used:
        return None
    return {"used": used, "window": window or None, "model": model, "origin": ORIGIN}


def is_of_sub_agent(record: Record) -> bool:
    """Return whether an event of a Copilot session belongs to a sub-agent, which has a window of
    its own.
    """
    spent = inner_object(record, "data", "usage")
    initiator = string_value(spent.get("initiator")).lower().replace("-", "")
    return bool(record.get("agentId") or spent.get("agentId")) or initiator == "subagent"


def read_branch(
    path: str, hashes: Names, newest: str = "", turn: str = ""
) -> transcript_tail.Branch:
    """Read back what stands in the window of a Copilot session (see `read_only_branch`).

    A rewind, and Esc before the first answer, delete the rows from the prompt on.
    """
    lines = lines_backward(path, transcript_tail.DEEPEST_BRANCH)
    return transcript_tail.read_only_branch(lines, _classify_line, hashes, newest)


def _classify_line(line: bytes) -> TranscriptLine:
    """Return what a row of the events shows; a row of a sub-agent only shows when it was
    written.
    """
    sight = TranscriptLine(transcript_tail.OTHER_LINE, (), _find_time(line))
    if not any(mark in line for mark in _BRANCH_EVENTS):
        return sight
    record = parse_record(line)
    name, data = record.get("type"), inner_object(record, "data")
    if is_of_sub_agent(record):
        return sight
    if name in ("user.message", "assistant.message"):
        sight.identity = string_value(record.get("id"))
    if name == "user.message":
        sight.texts = injected_texts(record)
        if is_prompt(record):
            sight.kind = transcript_tail.PROMPT_LINE
    elif name == "assistant.message":
        sight.kind = transcript_tail.ANSWER_LINE
    elif name == "tool.execution_complete":
        content = string_value(inner_object(data, "result").get("content"))
        sight.texts = (content.rpartition(_GUIDANCE)[2],)
    elif name == "session.compaction_complete" and data.get("success") is not False:
        sight.kind = transcript_tail.COMPACTION_LINE
    return sight


def _find_time(line: bytes) -> str:
    """Return when a row was written, without parsing it; "" for a half-written one."""
    time = line.rpartition(b'"timestamp":"')[2].partition(b'"')[0]
    return time.decode("ascii", "replace") if len(time) == len(_TIME) else ""


def is_prompt(record: Record) -> bool:
    """Return whether a ``user.message`` of Copilot is what somebody asked, not the client's or a
    skill's own words.
    """
    return string_value(inner_object(record, "data").get("source")) in ("", "user")


def injected_texts(record: Record) -> tuple[str, ...]:
    """Return the texts of hooks in a ``user.message`` of Copilot; of a session's start it is the
    message itself.
    """
    data = inner_object(record, "data")
    sent = string_value(data.get("transformedContent")) or string_value(data.get("content"))
    texts = tuple(
        text.strip("\n") for text in texts_between(sent, "<system_reminder>", "</system_reminder>")
    )
    is_own = is_prompt(record) or string_value(data.get("source")).startswith("skill")
    return texts if texts or is_own else (sent,)
