"""Read usage of the context window and the replies of hooks from a Copilot session's events.

``~/.copilot/session-state/{session}/events.jsonl``, an event per line; VS Code's Copilot harness
writes the same. Since 1.0.95 each model call leaves a ``session.usage_record``, whose input tokens
include the cached ones; before, only ``session.shutdown`` has what was in the window at the end.
"""

import os
from collections.abc import Collection, Iterator

from synapse_ls.integrations import transcript_tail
from synapse_ls.integrations.transcript_tail import (
    DEEPEST_BRANCH,
    Branch,
    Record,
    Usage,
    inner_object,
    lines_backward,
    parse_record,
    string_value,
    texts_between,
    token_count,
)

ORIGIN = "Copilot's session events"

_COMPACTION = "session.compaction_complete"
# Event -> the fields of the tokens in use, the window and the model.
_USAGE_FIELDS = {
    "session.usage_record": ("inputTokens", "maxPromptTokens", "model"),
    "session.usage_info": ("currentTokens", "tokenLimit", ""),
    "session.shutdown": ("currentTokens", "", "currentModel"),
    _COMPACTION: ("postCompactionTokens", "", ""),
    "session.truncation": ("postTruncationTokensInMessages", "tokenLimit", ""),
}
_USAGE_EVENTS = tuple(name.encode() for name in _USAGE_FIELDS)
_BRANCH_EVENTS = (
    b'"user.message"', b'"assistant.message"', b'"tool.execution_complete"',
    b'"session.compaction_complete"', b'"session.compaction_start"', b'"session.start"',
)  # fmt: skip
_GUIDANCE = "hooks:\n"  # behind a tool's result, before what its hooks say


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
            if (figures := record_usage(record)) is None:
                continue
            if record.get("type") != "session.shutdown":
                return figures or estimate
            estimate = estimate or figures
    return estimate


def record_usage(record: Record) -> Usage | None:
    """Return what an event of a Copilot session says of the window; None for nothing, and an empty
    object where it only says that all before is out of date.
    """
    kind, data = string_value(record.get("type")), inner_object(record, "data")
    has_failed = kind == _COMPACTION and data.get("success") is False
    if is_of_sub_agent(record) or kind not in _USAGE_FIELDS or has_failed:
        return None
    holder = inner_object(data, "usage") if kind == "session.usage_record" else data
    used_value, window_value, model = map(holder.get, _USAGE_FIELDS[kind])
    if not (used := token_count(used_value)):
        return {} if kind == _COMPACTION else None
    window = token_count(window_value) or None
    return {"used": used, "window": window, "model": string_value(model), "origin": ORIGIN}


def is_of_sub_agent(record: Record) -> bool:
    """Return whether an event of a Copilot session belongs to a sub-agent, which has a window of
    its own.
    """
    spent = inner_object(record, "data", "usage")
    initiator = string_value(spent.get("initiator")).lower().replace("-", "")
    return bool(record.get("agentId") or spent.get("agentId")) or initiator == "subagent"


def forked_from(path: str) -> str:
    """Return the id of the session of which that of a file of events is a fork, "" for none: its
    file begins with a copy of the other one, and the calls of hooks name the session.
    """
    own = os.path.basename(os.path.dirname(path))
    for line in lines_backward(path):
        if b'"hook.start"' in line and not is_of_sub_agent(record := parse_record(line)):
            session = string_value(inner_object(record, "data", "input").get("sessionId"))
            if session not in ("", own):
                return session
    return ""


def read_branch(path: str, hashes: Collection[str], newest: str = "", turn: str = "") -> Branch:
    """Read back what stands in the window of a Copilot session (see `read_rows`).

    A rewind, and Esc before the first answer, delete the rows from the prompt on.
    """
    return transcript_tail.read_rows(_live_rows(path), hashes, newest)


def _live_rows(path: str) -> Iterator[transcript_tail.Row]:
    """Yield the rows of the main conversation with Copilot, the newest first.

    It summarizes in the background: what comes meanwhile is kept behind the summary.
    """
    attempt, ended = "", None  # of the compaction that was under way here
    for line in lines_backward(path, DEEPEST_BRANCH):
        if not any(mark in line for mark in _BRANCH_EVENTS):
            continue
        record = parse_record(line)
        name, data, time = record.get("type"), inner_object(record, "data"), record.get("timestamp")
        if is_of_sub_agent(record):
            continue
        identity = "" if attempt else record.get("id")  # the summary is looked for in any case
        if name == "user.message":
            yield transcript_tail.Row(
                transcript_tail.MESSAGE_ROW, identity, injected_texts(record), time
            )
        elif name == "assistant.message":
            yield transcript_tail.Row(transcript_tail.ANSWER_ROW, identity, (), time)
        elif name == "tool.execution_complete":
            content = string_value(inner_object(data, "result").get("content"))
            yield transcript_tail.Row(
                transcript_tail.MESSAGE_ROW, "", (content.rpartition(_GUIDANCE)[2],), time
            )
        elif name == "session.compaction_complete" and data.get("success") is not False:
            attempt, ended = string_value(data.get("compactionAttemptId")), time
            if not attempt:
                yield transcript_tail.Row(transcript_tail.COMPACTION_ROW, "", (), time)
        elif name == "session.compaction_start" and attempt:
            if data.get("compactionAttemptId") == attempt:
                yield transcript_tail.Row(transcript_tail.COMPACTION_ROW, "", (), ended)
        elif name == "session.start":
            yield transcript_tail.Row(transcript_tail.MESSAGE_ROW, "", (), time)


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
